// An open file that closes itself, so that no failure path can leak one.
#pragma once

#include <utility>

#include "types.h"

namespace console {

namespace platform {

// Closes an open file. Never fails.
void Close(Handle handle) noexcept;

}  // namespace platform

// Owns one open file, or none. `Handle` is what the system calls it; each platform's types.h says.
class Descriptor {
public:
	Descriptor() noexcept = default;
	explicit Descriptor(Handle handle) noexcept : handle_(handle) {}
	Descriptor(Descriptor&& other) noexcept : handle_(other.Release()) {}
	Descriptor& operator=(Descriptor&& other) noexcept {
		Descriptor old(std::exchange(handle_, other.Release()));
		return *this;
	}
	Descriptor(const Descriptor&) = delete;
	Descriptor& operator=(const Descriptor&) = delete;
	~Descriptor() {
		if (handle_ != kNoHandle) platform::Close(handle_);
	}

	Handle Get() const noexcept { return handle_; }
	explicit operator bool() const noexcept { return handle_ != kNoHandle; }
	// Gives the open file to the caller, who closes it.
	Handle Release() noexcept { return std::exchange(handle_, kNoHandle); }

private:
	Handle handle_ = kNoHandle;
};

}  // namespace console

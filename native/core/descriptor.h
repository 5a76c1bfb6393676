// A file descriptor that closes itself, so that no failure path can leak one.
#pragma once

#include <unistd.h>

#include <utility>

namespace console {

// Owns one descriptor, or none (-1).
class Descriptor {
public:
	Descriptor() noexcept = default;
	explicit Descriptor(int number) noexcept : number_(number) {}
	Descriptor(Descriptor&& other) noexcept : number_(other.Release()) {}
	Descriptor& operator=(Descriptor&& other) noexcept {
		Descriptor old(std::exchange(number_, other.Release()));
		return *this;
	}
	Descriptor(const Descriptor&) = delete;
	Descriptor& operator=(const Descriptor&) = delete;
	// An interrupted close has closed on Linux and macOS: to try again could close a descriptor of somebody else.
	~Descriptor() {
		if (number_ >= 0) ::close(number_);
	}

	int Get() const noexcept { return number_; }
	explicit operator bool() const noexcept { return number_ >= 0; }
	// Gives the descriptor to the caller, who closes it.
	int Release() noexcept { return std::exchange(number_, -1); }

private:
	int number_ = -1;
};

}  // namespace console

// This process's end of its private channel, on descriptor 3.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/descriptor.h"

namespace console::r {

// Takes the channel from the process: no program that it starts has it. Only the main thread uses it.
class ChannelEnd {
public:
	// Throws SystemError when there is none.
	ChannelEnd();
	~ChannelEnd();
	ChannelEnd(const ChannelEnd&) = delete;
	ChannelEnd& operator=(const ChannelEnd&) = delete;

	// Can be waited for: something, or the end of the channel, is there to be read.
	Handle Readable() const noexcept;
	// Whether this process is the runtime, and no fork child of it.
	bool IsOurs() const noexcept;
	// Whether it still leads to the server: nobody has closed it, or put something else in its place.
	bool IsIntact() const noexcept;
	// What the server has said, waiting if it has said nothing: empty when a signal has ended the wait, none when the
	// server is gone.
	std::optional<std::string> Read();
	// Whether Read would not wait.
	bool HasInput() const noexcept;
	// Sends all of it. Returns false when the server is gone.
	bool Write(std::string_view bytes);

private:
	struct Parts;
	std::unique_ptr<Parts> parts_;
};

}  // namespace console::r

// What leads to fd 0, a terminal or (on Windows) a pipe, as a source of exact reads: to the end of a line and not a
// byte further.
#pragma once

#include <cstddef>
#include <string>

#include "core/descriptor.h"

namespace console::r {

// Reads through a descriptor of its own, and never waits. It is shared with everything that a cell starts, and a byte
// that was read cannot be put back.
class Input {
public:
	Input();

	// There is something to take when it can be read.
	Handle Get() const noexcept { return own_.Get(); }
	// Undoes what a child may have left behind: other modes, another foreground group. Nothing to a pipe.
	void MakeUsable() const;
	// Takes what is there, up to a newline. What an interrupt leaves taken is the beginning of the next line. Returns
	// whether a line is complete, or `limit` bytes of it, or what there is before the end of file.
	bool Take(std::size_t limit);
	// Gives what Take has completed, at most `limit` bytes; empty at end of file.
	std::string Give(std::size_t limit) {
		std::string piece = taken_.substr(0, limit);
		taken_.erase(0, limit);
		return piece;
	}
	// Reads one byte of fd 0 itself, waiting for it. Returns 1, 0 at end of file, -1 when a signal has ended the wait.
	static int AwaitByte(unsigned char& byte);

private:
	Descriptor own_;
	std::string taken_;
};

}  // namespace console::r

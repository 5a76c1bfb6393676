// The terminal on fd 0 as a source of exact reads: to the end of a line and not a byte further.
#pragma once

#include <cstddef>
#include <string>

#include "core/descriptor.h"

namespace console::r {

// Reads through a descriptor of its own that never blocks. The terminal is shared with everything that a cell starts,
// and a byte that was read cannot be put back, so bytes are read one by one.
class Input {
public:
	Input();

	// To wait for: there is something to take when it can be read.
	int Get() const noexcept { return own_.Get(); }
	// Undoes what a child may have left behind: other modes, another foreground group.
	void MakeUsable() const;
	// Takes what is there, up to a newline. What an interrupt leaves taken is the beginning of the next line. Returns
	// whether a line is complete, or `limit` bytes of it, or what there is before the end of file.
	bool Take(std::size_t limit);
	// Gives what Take has completed, at most `limit` bytes; empty at end of file.
	std::string Give(std::size_t limit);

private:
	Descriptor own_;
	std::string taken_;
};

}  // namespace console::r

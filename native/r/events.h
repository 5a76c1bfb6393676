// What the host waits for while R waits for its user.
#pragma once

#include <memory>

#include "r/channel_end.h"
#include "r/input.h"
#include "r/r_library.h"

namespace console::r {

class Events {
public:
	// What Wait finds, as a set.
	enum Ready : unsigned { kChannel = 1, kInput = 2, kHandlers = 4 };
	static constexpr int kForEver = -1;

	// Throws LibraryError.
	explicit Events(const Library& library);
	~Events();

	// Waits for the channel, for input unless that is null, for a signal, for what packages have asked R to watch, or
	// for `timeout` milliseconds. Returns what is there. Where nothing tells of input (on Windows), the channel does.
	unsigned Wait(const ChannelEnd& channel, const Input* input, int timeout) const;
	// Has R serve what packages have asked it to watch, when Wait has found kHandlers. R may leave it by a jump.
	void RunHandlers() const;

private:
	struct Parts;
	std::unique_ptr<Parts> parts_;
};

}  // namespace console::r

// Signals of the launcher: the ones it must survive, and the ones that wake its loop.
#pragma once

#include "core/platform.h"

namespace console {

// Ignores what the terminal and a lost server would send, and turns SIGCHLD and SIGTERM into bytes on a pipe.
class Signals {
public:
	// Throws SystemError. One instance at a time.
	Signals();
	Signals(const Signals&) = delete;
	Signals& operator=(const Signals&) = delete;
	~Signals();

	// Readable when a signal has come.
	int Wakeup() const noexcept { return pipe_.near_end.Get(); }
	// Takes what has come. Returns whether SIGTERM was among it.
	bool Take();

private:
	platform::Ends pipe_;
};

}  // namespace console

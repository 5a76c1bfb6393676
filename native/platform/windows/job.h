// The job that all processes of a generation belong to, except the launcher.
#pragma once

#include "core/platform.h"

namespace console {

// Nobody leaves it, and when the last handle to it is closed, however that happens, all in it are ended.
class Job {
public:
	// Throws SystemError.
	Job();

	// Lets a new process, which has not run yet, belong to it. Throws SystemError.
	void Add(Handle process) const;
	// Has `port` told, under `key`, when nobody is left. Throws SystemError.
	void Tell(Handle port, std::size_t key) const;
	// How many processes are in it. Throws SystemError.
	int Count() const;
	// Ends all of them. Throws SystemError.
	void End() const;

private:
	Descriptor job_;
};

}  // namespace console

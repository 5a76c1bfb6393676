// What the addon holds for one Node environment (the main thread or one worker thread).
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "addon/numbers.h"
#include "core/generation.h"

namespace console {

// The plain numbers that JavaScript is given for a generation.
struct Handles {
	ProcessId launcher;
	int terminal;
	int output;
	int control;
	std::vector<int> channels;
};

// Knows the descriptors and launchers that were given to this environment's JavaScript. When the environment goes, it
// closes what is still open, which tells the launchers to end, and leaves those to be reaped later.
class Environment {
public:
	~Environment();

	// Takes a generation over, whose numbers JavaScript is about to be given.
	Handles Adopt(Generation generation);
	// Closes a descriptor that JavaScript was given. Throws SystemError (EBADF) when it is not open any more: its
	// number may belong to somebody else by now.
	void Close(int number);
	// Reaps a launcher of this environment. Throws SystemError (ECHILD) for any other process, for Node's own children
	// too.
	std::optional<ExitStatus> Reap(ProcessId launcher);
	// Kills a launcher of this environment that was not reaped, as KillLauncher does. Throws SystemError (ESRCH) for
	// others.
	void Kill(ProcessId launcher);

private:
	int Remember(Descriptor descriptor);

	// What each number stood for when it was given out: a stream of Node's may have closed it since.
	std::unordered_map<int, Identity> descriptors_;
	std::set<ProcessId> launchers_;
};

}  // namespace console

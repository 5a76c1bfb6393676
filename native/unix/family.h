// All processes of a generation but the launcher itself, as a group that can be signalled.
#pragma once

#include <sys/types.h>

#include <vector>

#include "launcher/system.h"
#include "unix/descendants.h"
#include "unix/platform.h"

namespace console {

class Family {
public:
	// `head` is the launcher, from which all descend. `adopts`: orphans of the family become its children.
	Family(pid_t head, bool adopts) : head_(head), adopts_(adopts) {}

	// In all three, `runtimes` are those that are not reaped yet: the members that are known without looking.

	// Sends SIGINT to the runtime `target` (0 when it is gone) and to every member that began after `moment`, but to no
	// other runtime: those are interrupted by name only.
	System::Interruption Interrupt(pid_t target, const std::vector<pid_t>& runtimes,
	                               const platform::Moment& moment) const;
	// Asks every member to end: SIGTERM, and SIGCONT for those that are stopped.
	void Terminate(const std::vector<pid_t>& runtimes) const;
	// Sends SIGKILL to every member that is seen now. What is forked meanwhile is left for the next time.
	Killing Kill(const std::vector<pid_t>& runtimes) const;

	// Whether nobody is left. `has_children`: the head has children, dead ones that it has not reaped included.
	bool IsGone(bool has_children) const;

private:
	std::vector<platform::Process> Living(const std::vector<pid_t>& runtimes) const;

	pid_t head_;
	bool adopts_;
};

}  // namespace console

// Who descends from a process.
#pragma once

#include <sys/types.h>

#include <vector>

#include "unix/platform.h"

namespace console {

// Every living or dead-but-unreaped process that descends from `ancestor` or belongs to the session that it leads,
// without `ancestor` itself. Throws SystemError.
std::vector<platform::Process> DescendantsOf(pid_t ancestor);
// What came of a round of SIGKILLs.
struct Killing {
	// How many processes took the signal. One that was killed before and is still there counts again.
	int taken;
	// How many the system did not let us signal, because they run as another user.
	int refused;
};
// Sends SIGKILL to every one of `processes` that is not dead already.
Killing KillAll(const std::vector<platform::Process>& processes) noexcept;
// Sends SIGKILL to everything that descends from `ancestor` until nothing living is seen any more. Gives up after 100
// ms: a process that the system does not let us kill is left. Never fails.
void KillDescendants(pid_t ancestor) noexcept;

}  // namespace console

// Starting the launcher, and a process's place among its relatives, on macOS.
#include <signal.h>
#include <spawn.h>

#include "unix/platform.h"
#include "unix/spawn_plan.h"

namespace console::platform {

pid_t Spawn(const std::string& program, const std::vector<std::string>& arguments,
            const std::vector<int>& descriptors) {
	// Nothing is inherited but what the plan places.
	SpawnPlan plan(descriptors, POSIX_SPAWN_SETSID | POSIX_SPAWN_CLOEXEC_DEFAULT);
	return plan.Run(program, arguments);
}

void ResetSignals() noexcept {
	for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
	sigset_t none;
	sigemptyset(&none);
	::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Orphans go to launchd. Those that stay in the launcher's session are found by it; one that leaves the session and
// outlives its parent escapes.
bool AdoptOrphans() noexcept {
	return false;
}

// There is no such request. But the launcher leads the terminal's session, so when it is killed the system hangs up on
// the runtime, which is in the foreground; the server closes the private channel, too.
void DieWithParent(pid_t) noexcept {}

// There is no such request either: a launcher that was stopped goes on when somebody continues it.
void WakeWithoutParent() noexcept {}

}  // namespace console::platform

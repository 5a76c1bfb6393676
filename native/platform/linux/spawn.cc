// Starting the launcher, and a process's place among its relatives, on Linux.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>

#include "core/platform.h"
#include "core/spawn_plan.h"
#include "core/system_error.h"

namespace console::platform {

pid_t Spawn(const std::string& program, const std::vector<std::string>& arguments,
            const std::vector<int>& descriptors) {
	// musl and older C libraries lack the flag; the launcher then calls setsid itself.
#ifdef POSIX_SPAWN_SETSID
	constexpr short kSession = POSIX_SPAWN_SETSID;
#else
	constexpr short kSession = 0;
#endif
	SpawnPlan plan(descriptors, kSession);
	return plan.Run(program, arguments);
}

bool AdoptOrphans() noexcept {
	return ::prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) == 0;
}

void DieWithParent(pid_t parent) noexcept {
	static_cast<void>(::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL), 0UL, 0UL, 0UL));
	// It can have died just before.
	if (::getppid() != parent) ::raise(SIGKILL);
}

}  // namespace console::platform

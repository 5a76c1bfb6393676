// Starting the launcher, and a process's place among its relatives, on Linux.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "core/system_error.h"
#include "unix/platform.h"
#include "unix/spawn_plan.h"

namespace console::platform {

pid_t Spawn(const std::string& program, const std::vector<std::string>& arguments,
            const std::vector<int>& descriptors) {
	// Older C libraries lack the flag; the launcher then calls setsid itself.
#ifdef POSIX_SPAWN_SETSID
	constexpr short kSession = POSIX_SPAWN_SETSID;
#else
	constexpr short kSession = 0;
#endif
	SpawnPlan plan(descriptors, kSession);
	return plan.Run(program, arguments);
}

void ResetSignals() noexcept {
	// Not through sigaction: the C library keeps the first real-time signals to itself, and its posix_spawn has left
	// them ignored. A kernel's sigaction of zeros is the default one.
	constexpr unsigned long kSetSize = 8;
	constexpr int kLastSignal = 64;
	constexpr unsigned long kDefault[8] = {};
	for (int number = 1; number <= kLastSignal; ++number) {
		::syscall(SYS_rt_sigaction, number, kDefault, nullptr, kSetSize);
	}
	sigset_t none;
	sigemptyset(&none);
	::sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool AdoptOrphans() noexcept {
	return ::prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) == 0;
}

void DieWithParent(pid_t parent) noexcept {
	static_cast<void>(::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL), 0UL, 0UL, 0UL));
	// It can have died just before.
	if (::getppid() != parent) ::raise(SIGKILL);
}

void WakeWithoutParent() noexcept {
	static_cast<void>(::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGCONT), 0UL, 0UL, 0UL));
}

}  // namespace console::platform

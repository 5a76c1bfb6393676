// The launchers that this process has started, on UNIX.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "core/generation.h"
#include "core/system_error.h"
#include "unix/descendants.h"

namespace console {
namespace {

// Launchers whose environment is gone. The one state of the core that threads share.
struct Abandoned {
	std::mutex mutex;
	std::vector<pid_t> launchers;
};

Abandoned& AbandonedLaunchers() {
	static Abandoned abandoned;
	return abandoned;
}

}  // namespace

std::optional<ExitStatus> ReapLauncher(pid_t launcher) {
	int status = 0;
	pid_t reaped = 0;
	do {
		reaped = ::waitpid(launcher, &status, WNOHANG);
	} while (reaped < 0 && errno == EINTR);
	if (reaped < 0) throw SystemError("waitpid", errno);
	if (reaped == 0) return std::nullopt;
	if (WIFSIGNALED(status)) return ExitStatus{true, WTERMSIG(status)};
	return ExitStatus{false, WEXITSTATUS(status)};
}

void KillLauncher(pid_t launcher) noexcept {
	// Stopped, it still adopts the orphans among its descendants, so none of them can leave the tree while it is
	// felled.
	if (::kill(launcher, SIGSTOP) != 0) return;
	KillDescendants(launcher);
	::kill(launcher, SIGKILL);
}

void AbandonLauncher(pid_t launcher) {
	Abandoned& abandoned = AbandonedLaunchers();
	const std::lock_guard<std::mutex> lock(abandoned.mutex);
	abandoned.launchers.push_back(launcher);
}

void ReapAbandoned() {
	Abandoned& abandoned = AbandonedLaunchers();
	const std::lock_guard<std::mutex> lock(abandoned.mutex);
	auto& launchers = abandoned.launchers;
	const auto is_gone = [](pid_t launcher) { return ::waitpid(launcher, nullptr, WNOHANG) != 0; };
	launchers.erase(std::remove_if(launchers.begin(), launchers.end(), is_gone), launchers.end());
}

}  // namespace console

// One generation, as the server holds it: the descriptors it talks through and the launcher that owns the processes.
#include "core/generation.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "core/descendants.h"
#include "core/platform.h"
#include "core/system_error.h"

namespace console {
namespace {

using platform::Ends;

// Launchers whose environment is gone. The one state of the core that threads share.
struct Abandoned {
	std::mutex mutex;
	std::vector<pid_t> launchers;
};

Abandoned& AbandonedLaunchers() {
	static Abandoned abandoned;
	return abandoned;
}

void ReapAbandoned() {
	Abandoned& abandoned = AbandonedLaunchers();
	const std::lock_guard<std::mutex> lock(abandoned.mutex);
	auto& launchers = abandoned.launchers;
	const auto is_gone = [](pid_t launcher) { return ::waitpid(launcher, nullptr, WNOHANG) != 0; };
	launchers.erase(std::remove_if(launchers.begin(), launchers.end(), is_gone), launchers.end());
}

}  // namespace

Generation OpenGeneration(const std::string& launcher, int runtimes) {
	ReapAbandoned();
	Ends terminal = platform::OpenTerminal();
	Ends output = platform::OpenPipe();
	platform::EnlargePipe(output.far.Get());
	Ends control = platform::OpenChannel();
	std::vector<Ends> channels;
	for (int runtime = 0; runtime < runtimes; ++runtime) channels.push_back(platform::OpenChannel());

	// The numbers that docs/private-channel.md gives them in the launcher.
	std::vector<int> inherited{terminal.far.Get(), output.far.Get(), output.far.Get(), control.far.Get()};
	for (const Ends& channel : channels) inherited.push_back(channel.far.Get());
	inherited.push_back(terminal.near.Get());

	Generation generation;
	for (Ends& channel : channels) generation.channels.push_back(std::move(channel.near));
	generation.launcher = platform::Spawn(launcher, {"console-launcher", std::to_string(runtimes)}, inherited);
	generation.terminal = std::move(terminal.near);
	generation.output = std::move(output.near);
	generation.control = std::move(control.near);
	return generation;
}

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

}  // namespace console

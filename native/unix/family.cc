// All processes of a generation but the launcher itself, as a group that can be signalled.
#include "unix/family.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>

#include "core/system_error.h"

namespace console {
namespace {

using platform::Process;

bool IsAmong(const std::vector<pid_t>& runtimes, pid_t pid) {
	return std::find(runtimes.begin(), runtimes.end(), pid) != runtimes.end();
}

}  // namespace

System::Interruption Family::Interrupt(pid_t target, const std::vector<pid_t>& runtimes,
                                       const platform::Moment& moment) const {
	// Everyone is found before anyone is signalled: what the first one starts in its handler is not meant.
	std::vector<pid_t> younger;
	for (const Process& process : Living(runtimes)) {
		if (!IsAmong(runtimes, process.pid) && platform::BeganAfter(process, moment)) younger.push_back(process.pid);
	}
	System::Interruption interruption{0, ESRCH};
	// The runtime first: if its child went first, it could see the child's end before it knows that it is interrupted.
	if (target != 0) interruption.error = platform::SignalFirstThread(target, SIGINT);
	if (interruption.error == 0) ++interruption.signalled;
	for (const pid_t pid : younger) {
		if (::kill(pid, SIGINT) == 0) ++interruption.signalled;
	}
	return interruption;
}

void Family::Terminate(const std::vector<pid_t>& runtimes) const {
	for (const Process& process : Living(runtimes)) {
		if (IsAmong(runtimes, process.pid)) {
			platform::SignalFirstThread(process.pid, SIGTERM);
		} else {
			::kill(process.pid, SIGTERM);
		}
		// A stopped process takes the signal when it goes on.
		::kill(process.pid, SIGCONT);
	}
}

Killing Family::Kill(const std::vector<pid_t>& runtimes) const {
	return KillAll(Living(runtimes));
}

// With adoption every member descends from a child of the head, so no child means nobody. Without it only looking
// tells.
bool Family::IsGone(bool has_children) const {
	return !has_children && (adopts_ || Living({}).empty());
}

std::vector<Process> Family::Living(const std::vector<pid_t>& runtimes) const {
	std::vector<Process> members;
	try {
		members = DescendantsOf(head_);
	} catch (const SystemError&) {
		// No list now (no descriptor is left in the system, or no process is shown): the runtimes must end all the
		// same.
		for (const pid_t pid : runtimes) members.push_back({pid, head_, head_, 0, false});
	}
	const auto is_dead = [](const Process& process) { return process.dead; };
	members.erase(std::remove_if(members.begin(), members.end(), is_dead), members.end());
	return members;
}

}  // namespace console

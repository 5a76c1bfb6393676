// The processes of the machine as sysctl shows them, and the clock that their start times are in.
#include <signal.h>
#include <sys/sysctl.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>

#include "core/system_error.h"
#include "unix/platform.h"

namespace console::platform {
namespace {

std::int64_t Microseconds(const timeval& time) {
	return std::int64_t{time.tv_sec} * 1000000 + time.tv_usec;
}

// The kernel's table. It can grow between the question for its size and the one for its content, so there is room to
// spare, and another try.
std::vector<kinfo_proc> ReadTable() {
	int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_ALL, 0};
	constexpr unsigned kNameLength = 4;
	constexpr int kTries = 5;
	constexpr std::size_t kSpare = 64;
	for (int attempt = 0; attempt < kTries; ++attempt) {
		std::size_t size = 0;
		if (::sysctl(name, kNameLength, nullptr, &size, nullptr, 0) != 0) throw SystemError("sysctl", errno);
		std::vector<kinfo_proc> table(size / sizeof(kinfo_proc) + kSpare);
		size = table.size() * sizeof(kinfo_proc);
		if (::sysctl(name, kNameLength, table.data(), &size, nullptr, 0) == 0) {
			table.resize(size / sizeof(kinfo_proc));
			return table;
		}
		if (errno != ENOMEM) break;
	}
	throw SystemError("sysctl", errno);
}

}  // namespace

std::vector<Process> ListProcesses() {
	std::vector<Process> processes;
	for (const kinfo_proc& entry : ReadTable()) {
		Process process{};
		process.pid = entry.kp_proc.p_pid;
		process.parent = entry.kp_eproc.e_ppid;
		process.session = ::getsid(process.pid);
		process.start = Microseconds(entry.kp_proc.p_starttime);
		process.dead = entry.kp_proc.p_stat == SZOMB;
		processes.push_back(process);
	}
	return processes;
}

std::optional<std::int64_t> StartOf(pid_t pid) {
	int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, pid};
	constexpr unsigned kNameLength = 4;
	kinfo_proc entry{};
	std::size_t size = sizeof entry;
	// A process that is not there is an empty answer.
	if (::sysctl(name, kNameLength, &entry, &size, nullptr, 0) != 0) throw SystemError("sysctl", errno);
	if (size == 0 || entry.kp_proc.p_stat == SZOMB) return std::nullopt;
	return Microseconds(entry.kp_proc.p_starttime);
}

// Nobody tells the newest id, and at this resolution no two beginnings fall together: a tie counts as later.
Moment Now() {
	timeval time{};
	if (::gettimeofday(&time, nullptr) != 0) throw SystemError("gettimeofday", errno);
	return {Microseconds(time), 0};
}

// A thread can be signalled from within its process only.
int SignalFirstThread(pid_t pid, int number) noexcept {
	return ::kill(pid, number) == 0 ? 0 : errno;
}

bool BeganAfter(const Process& process, const Moment& moment) {
	if (process.start != moment.ticks) return process.start > moment.ticks;
	return process.pid > moment.newest;
}

}  // namespace console::platform

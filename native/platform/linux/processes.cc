// The processes of the machine as /proc shows them, and the clock that their start times are in.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/system_error.h"
#include "unix/platform.h"

namespace console::platform {
namespace {

// Reads a small file whole into `text`, which is then NUL-terminated. False when it is gone or unreadable.
bool ReadFile(int folder, const char* name, char* text, std::size_t size) {
	const Descriptor file(::openat(folder, name, O_RDONLY | O_CLOEXEC));
	if (!file) return false;
	const ssize_t count = ::read(file.Get(), text, size - 1);
	if (count <= 0) return false;
	text[count] = '\0';
	return true;
}

// Reads /proc/loadavg, which ends with the newest process id. It is asked for before each cell, and opening it takes
// ten times as long as reading it: so it stays open, unless that was not possible.
bool ReadLoad(char* text, std::size_t size) {
	static const Descriptor kept(::open("/proc/loadavg", O_RDONLY | O_CLOEXEC));
	const ssize_t count = kept ? ::pread(kept.Get(), text, size - 1, 0) : 0;
	if (count <= 0) return ReadFile(AT_FDCWD, "/proc/loadavg", text, size);
	text[count] = '\0';
	return true;
}

// Understands /proc/PID/stat: `pid (name) state ppid pgrp session …`, where the name can hold spaces and parentheses.
bool ParseStat(const char* text, Process& process) {
	const char* name_end = std::strrchr(text, ')');
	if (name_end == nullptr) return false;
	char state = 0;
	int parent = 0;
	int session = 0;
	long threads = 0;
	long long start = 0;
	// Fields 3 to 6, 20 and 22 of proc(5).
	const int found =
	    std::sscanf(name_end + 1, " %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %lld",
	                &state, &parent, &session, &threads, &start);
	if (found != 5) return false;
	process.pid = static_cast<pid_t>(std::strtol(text, nullptr, 10));
	process.parent = parent;
	process.session = session;
	process.start = start;
	// A process whose first thread has ended while others go on is shown as a zombie too, and lives.
	process.dead = (state == 'Z' || state == 'X') && threads <= 1;
	return true;
}

// Whether the first thread of a process lets a signal through; false when /proc does not say.
bool Admits(pid_t pid, int number) {
	constexpr const char* kKey = "\nSigBlk:";
	constexpr int kHexadecimal = 16;
	char path[32];
	char text[4096];
	std::snprintf(path, sizeof path, "/proc/%d/status", pid);
	if (!ReadFile(AT_FDCWD, path, text, sizeof text)) return false;
	const char* blocked = std::strstr(text, kKey);
	if (blocked == nullptr) return false;
	return (std::strtoull(blocked + std::strlen(kKey), nullptr, kHexadecimal) >> (number - 1) & 1) == 0;
}

long ReadNumber(const char* path, long otherwise) {
	char text[64];
	return ReadFile(AT_FDCWD, path, text, sizeof text) ? std::strtol(text, nullptr, 10) : otherwise;
}

}  // namespace

std::vector<Process> ListProcesses() {
	struct Close {
		void operator()(DIR* folder) const { ::closedir(folder); }
	};
	const std::unique_ptr<DIR, Close> folder(::opendir("/proc"));
	if (!folder) throw SystemError("opendir", errno, "/proc");
	std::vector<Process> processes;
	while (const dirent* entry = ::readdir(folder.get())) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
		char path[32];
		char text[1024];
		std::snprintf(path, sizeof path, "%.20s/stat", entry->d_name);
		Process process{};
		if (ReadFile(::dirfd(folder.get()), path, text, sizeof text) && ParseStat(text, process))
			processes.push_back(process);
	}
	return processes;
}

std::optional<std::int64_t> StartOf(pid_t pid) {
	char path[32];
	char text[1024];
	std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
	Process process{};
	const bool is_there = ReadFile(AT_FDCWD, path, text, sizeof text) && ParseStat(text, process) && !process.dead;
	return is_there ? std::optional(process.start) : std::nullopt;
}

Moment Now() {
	// The id first: a process that begins between the two readings is then in the tick of the reading or before it.
	char text[128];
	if (!ReadLoad(text, sizeof text)) throw SystemError("read", errno, "/proc/loadavg");
	const char* last = std::strrchr(text, ' ');
	timespec time{};
	if (::clock_gettime(CLOCK_BOOTTIME, &time) != 0) throw SystemError("clock_gettime", errno);
	const std::int64_t rate = ::sysconf(_SC_CLK_TCK);
	const std::int64_t ticks = time.tv_sec * rate + time.tv_nsec / (1000000000 / rate);
	return {ticks, static_cast<pid_t>(last == nullptr ? 0 : std::strtol(last, nullptr, 10))};
}

int SignalFirstThread(pid_t pid, int number) noexcept {
	if (Admits(pid, number) && ::syscall(SYS_tgkill, pid, pid, number) == 0) return 0;
	return ::kill(pid, number) == 0 ? 0 : errno;
}

bool BeganAfter(const Process& process, const Moment& moment) {
	if (process.start != moment.ticks) return process.start > moment.ticks;
	// Ids are given out in ascending order and begin again at the bottom, so the distance decides, not the size.
	const long limit = ReadNumber("/proc/sys/kernel/pid_max", 32768);
	const long distance = (process.pid - moment.newest + limit) % limit;
	return distance > 0 && distance < limit / 2;
}

}  // namespace console::platform

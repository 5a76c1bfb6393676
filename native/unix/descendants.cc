// Who descends from a process.
#include "unix/descendants.h"

#include <signal.h>
#include <time.h>

#include <cerrno>
#include <exception>
#include <unordered_map>

namespace console {
namespace {

using platform::Process;
using Parents = std::unordered_map<pid_t, pid_t>;

enum class Kinship { kRelated, kUnrelated, kUnknown };

// Follows the chain of parents. Unknown when a parent ended, and was reaped, between the reading of its child and its
// own.
Kinship Follow(pid_t pid, pid_t ancestor, const Parents& parents) {
	// A chain cannot be longer than the table, unless ids were reused while it was read.
	for (std::size_t step = 0; step <= parents.size(); ++step) {
		const auto found = parents.find(pid);
		if (found == parents.end()) return Kinship::kUnknown;
		pid = found->second;
		if (pid == ancestor) return Kinship::kRelated;
		if (pid <= 1) return Kinship::kUnrelated;
	}
	return Kinship::kUnknown;
}

}  // namespace

std::vector<Process> DescendantsOf(pid_t ancestor) {
	// A chain that broke while it was read is whole in the next reading, where the orphan has its new parent.
	constexpr int kReadings = 3;
	std::vector<Process> descendants;
	for (int reading = 0; reading < kReadings; ++reading) {
		const std::vector<Process> processes = platform::ListProcesses();
		Parents parents;
		for (const Process& process : processes) parents.emplace(process.pid, process.parent);
		descendants.clear();
		bool broken = false;
		for (const Process& process : processes) {
			if (process.pid == ancestor) continue;
			const Kinship kinship = Follow(process.pid, ancestor, parents);
			broken = broken || kinship == Kinship::kUnknown;
			if (kinship == Kinship::kRelated || process.session == ancestor) descendants.push_back(process);
		}
		if (!broken) break;
	}
	return descendants;
}

Killing KillAll(const std::vector<Process>& processes) noexcept {
	Killing killing{0, 0};
	for (const Process& process : processes) {
		if (process.dead) continue;
		if (::kill(process.pid, SIGKILL) == 0) {
			++killing.taken;
		} else if (errno == EPERM) {
			++killing.refused;
		}
	}
	return killing;
}

void KillDescendants(pid_t ancestor) noexcept {
	constexpr int kRounds = 50;
	constexpr timespec kPause{0, 2000000};
	try {
		for (int round = 0; round < kRounds && KillAll(DescendantsOf(ancestor)).taken > 0; ++round) {
			::nanosleep(&kPause, nullptr);
		}
	} catch (const std::exception&) {
		// Nothing can be listed now, so nobody can be found. Runtimes follow their launcher by themselves
		// (DieWithParent).
	}
}

}  // namespace console

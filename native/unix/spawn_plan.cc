// What is the same in every use of posix_spawn.
#include "unix/spawn_plan.h"

#include <fcntl.h>
#include <signal.h>

#include <cerrno>

#include "core/system_error.h"

namespace console {
namespace {

// The functions of posix_spawn return their error instead of setting errno.
void Check(const char* call, int error, const std::string& subject = {}) {
	if (error != 0) throw SystemError(call, error, subject);
}

}  // namespace

SpawnPlan::SpawnPlan(const std::vector<int>& descriptors, short flags) {
	Check("posix_spawnattr_init", ::posix_spawnattr_init(&attributes_));
	if (const int error = ::posix_spawn_file_actions_init(&actions_)) {
		::posix_spawnattr_destroy(&attributes_);
		throw SystemError("posix_spawn_file_actions_init", error);
	}
	try {
		ResetSignals(flags);
		Place(descriptors);
	} catch (...) {
		::posix_spawn_file_actions_destroy(&actions_);
		::posix_spawnattr_destroy(&attributes_);
		throw;
	}
}

SpawnPlan::~SpawnPlan() {
	::posix_spawn_file_actions_destroy(&actions_);
	::posix_spawnattr_destroy(&attributes_);
}

void SpawnPlan::ResetSignals(short flags) {
	sigset_t all;
	sigset_t none;
	sigfillset(&all);
	sigemptyset(&none);
	Check("posix_spawnattr_setsigdefault", ::posix_spawnattr_setsigdefault(&attributes_, &all));
	Check("posix_spawnattr_setsigmask", ::posix_spawnattr_setsigmask(&attributes_, &none));
	const int every = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | flags;
	Check("posix_spawnattr_setflags", ::posix_spawnattr_setflags(&attributes_, static_cast<short>(every)));
}

void SpawnPlan::Place(const std::vector<int>& descriptors) {
	const int count = static_cast<int>(descriptors.size());
	for (int target = 0; target < count; ++target) {
		// Copies above all targets: otherwise one dup2 could overwrite what a later one takes, or meet its own number
		// and leave it close-on-exec.
		Descriptor copy(::fcntl(descriptors[static_cast<std::size_t>(target)], F_DUPFD_CLOEXEC, count));
		if (!copy) throw SystemError("fcntl", errno);
		Check("posix_spawn_file_actions_adddup2", ::posix_spawn_file_actions_adddup2(&actions_, copy.Get(), target));
		lifted_.push_back(std::move(copy));
	}
}

pid_t SpawnPlan::Run(const std::string& program, const std::vector<std::string>& arguments) {
	std::vector<char*> argv;
	for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
	argv.push_back(nullptr);
	char* environment[] = {nullptr};
	pid_t pid = -1;
	Check("posix_spawn", ::posix_spawn(&pid, program.c_str(), &actions_, &attributes_, argv.data(), environment),
	      program);
	return pid;
}

}  // namespace console

// What the addon holds for one Node environment (the main thread or one worker thread).
#include "addon/environment.h"

#include <unistd.h>

#include <cerrno>

#include "core/system_error.h"

namespace console {

Environment::~Environment() {
	for (const auto& [descriptor, identity] : descriptors_) {
		if (IsStill(descriptor, identity)) ::close(descriptor);
	}
	for (const pid_t launcher : launchers_) AbandonLauncher(launcher);
}

Handles Environment::Adopt(Generation generation) {
	launchers_.insert(generation.launcher);
	Handles handles{generation.launcher,
	                Remember(std::move(generation.terminal)),
	                Remember(std::move(generation.output)),
	                Remember(std::move(generation.control)),
	                {}};
	for (Descriptor& channel : generation.channels) handles.channels.push_back(Remember(std::move(channel)));
	return handles;
}

void Environment::Close(int descriptor) {
	const auto found = descriptors_.find(descriptor);
	const bool is_ours = found != descriptors_.end() && IsStill(descriptor, found->second);
	if (found != descriptors_.end()) descriptors_.erase(found);
	if (!is_ours) throw SystemError("close", EBADF);
	// An interrupted close has closed: see Descriptor.
	if (::close(descriptor) != 0 && errno != EINTR) throw SystemError("close", errno);
}

std::optional<ExitStatus> Environment::Reap(pid_t launcher) {
	if (launchers_.count(launcher) == 0) throw SystemError("waitpid", ECHILD);
	const std::optional<ExitStatus> status = ReapLauncher(launcher);
	if (status) launchers_.erase(launcher);
	return status;
}

void Environment::Kill(pid_t launcher) {
	if (launchers_.count(launcher) == 0) throw SystemError("kill", ESRCH);
	KillLauncher(launcher);
}

int Environment::Remember(Descriptor descriptor) {
	struct stat state{};
	if (::fstat(descriptor.Get(), &state) != 0) throw SystemError("fstat", errno);
	descriptors_[descriptor.Get()] = {state.st_dev, state.st_ino};
	return descriptor.Release();
}

bool Environment::IsStill(int descriptor, const Identity& identity) const noexcept {
	struct stat state{};
	return ::fstat(descriptor, &state) == 0 && state.st_dev == identity.device && state.st_ino == identity.inode;
}

}  // namespace console

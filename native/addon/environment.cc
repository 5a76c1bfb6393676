// What the addon holds for one Node environment (the main thread or one worker thread).
#include "addon/environment.h"

#include <cerrno>

#include "core/system_error.h"

namespace console {

Environment::~Environment() {
	for (const auto& [number, identity] : descriptors_) {
		try {
			if (IdentityUnder(number) == identity) CloseNumber(number);
		} catch (const SystemError&) {
			// Nobody is left who could be told; the others are closed all the same.
			continue;
		}
	}
	for (const ProcessId launcher : launchers_) AbandonLauncher(launcher);
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

void Environment::Close(int number) {
	const auto found = descriptors_.find(number);
	const bool is_ours = found != descriptors_.end() && IdentityUnder(number) == found->second;
	if (found != descriptors_.end()) descriptors_.erase(found);
	if (!is_ours) throw SystemError("close", EBADF);
	CloseNumber(number);
}

std::optional<ExitStatus> Environment::Reap(ProcessId launcher) {
	if (launchers_.count(launcher) == 0) throw SystemError("waitpid", ECHILD);
	const std::optional<ExitStatus> status = ReapLauncher(launcher);
	if (status) launchers_.erase(launcher);
	return status;
}

void Environment::Kill(ProcessId launcher) {
	if (launchers_.count(launcher) == 0) throw SystemError("kill", ESRCH);
	KillLauncher(launcher);
}

int Environment::Remember(Descriptor descriptor) {
	const int number = GiveToNode(std::move(descriptor));
	const std::optional<Identity> identity = IdentityUnder(number);
	if (!identity) throw SystemError("fstat", EBADF);
	descriptors_[number] = *identity;
	return number;
}

}  // namespace console

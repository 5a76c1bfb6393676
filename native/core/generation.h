// One generation, as the server holds it: the descriptors it talks through and the launcher that owns the processes.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/descriptor.h"

namespace console {

// How a process went: exactly one of the two is meaningful.
struct ExitStatus {
	bool signalled;
	// The exit code, or the number of the signal.
	int value;
};

struct Generation {
	pid_t launcher = -1;
	Descriptor terminal;
	Descriptor output;
	Descriptor control;
	std::vector<Descriptor> channels;
};

// The most runtimes that one generation can have.
inline constexpr int kMostRuntimes = 4;

// Opens everything and starts the launcher program on it. `launcher` is an absolute path, `runtimes` is 1 to
// kMostRuntimes. Throws SystemError; nothing is left open or running then.
Generation OpenGeneration(const std::string& launcher, int runtimes);
// Reaps a launcher that has ended; nothing while it runs. Throws SystemError (ECHILD when it is no child, or reaped).
std::optional<ExitStatus> ReapLauncher(pid_t launcher);
// Ends a launcher that does not answer, and everything that descends from it, with SIGKILL. The launcher still has to
// be reaped. Takes 100 ms at most; a process that the system does not let us kill is left. Never fails.
void KillLauncher(pid_t launcher) noexcept;
// Leaves a launcher whose descriptors are closed to end by itself. It is reaped by a later OpenGeneration of any
// thread.
void AbandonLauncher(pid_t launcher);

}  // namespace console

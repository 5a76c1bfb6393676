// One generation, as the server holds it: what it talks through and the launcher that owns the processes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/descriptor.h"
#include "core/platform.h"

namespace console {

struct Generation {
	ProcessId launcher{};
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

// The launchers that this process has started: launchers.cc of native/unix and of native/platform/windows.

// Reaps a launcher that has ended; nothing while it runs. Throws SystemError (ECHILD when it is no child, or reaped).
std::optional<ExitStatus> ReapLauncher(ProcessId launcher);
// Ends a launcher that does not answer, and everything that descends from it, by force. The launcher still has to be
// reaped. Takes 100 ms at most; a process that the system does not let us kill is left. Never fails.
void KillLauncher(ProcessId launcher) noexcept;
// Leaves a launcher whose descriptors are closed to end by itself. It is reaped by a later ReapAbandoned of any thread.
void AbandonLauncher(ProcessId launcher);
// Reaps the abandoned launchers that have ended.
void ReapAbandoned();

}  // namespace console

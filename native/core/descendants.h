// Who descends from a process.
#pragma once

#include <sys/types.h>

#include <vector>

#include "core/platform.h"

namespace console {

// Every living or dead-but-unreaped process that descends from `ancestor` or belongs to the session that it leads,
// without `ancestor` itself. Throws SystemError.
std::vector<platform::Process> DescendantsOf(pid_t ancestor);
// Sends SIGKILL to every one of `processes` that is not dead already. Returns how many took it.
int KillAll(const std::vector<platform::Process>& processes) noexcept;

}  // namespace console

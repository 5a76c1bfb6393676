// The launchers that this process has started and not reaped.
#pragma once

#include "core/platform.h"

namespace console {

// Keeps the process of a launcher: as long as it is open, its id is nobody else's.
void KeepChild(ProcessId pid, Descriptor process);

}  // namespace console

// What tells the main thread that an interrupt has come.
#pragma once

#include "core/descriptor.h"

namespace console::r::interrupts {

// Is set when one has come since it was last drained.
Handle WakeEvent() noexcept;
void DrainWake() noexcept;

}  // namespace console::r::interrupts

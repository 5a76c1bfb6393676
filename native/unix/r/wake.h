// What tells the main thread that a signal has come.
#pragma once

namespace console::r::interrupts {

// Can be read when a signal has come since it was last drained.
int WakeDescriptor() noexcept;
void DrainWake() noexcept;

}  // namespace console::r::interrupts

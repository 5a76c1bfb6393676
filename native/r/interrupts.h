// SIGINT and SIGTERM in a process that R and Python share: one handler each.
#pragma once

namespace console::r {

struct Library;

// What the handlers do. There is one process, so there is one of it.
namespace interrupts {

// Installs the handlers.
void Install(const Library& library);
// Installs one of them again, SIGINT's or SIGTERM's, after an interpreter has put another in its place.
void InstallAgain(int number);
// Python is in the process too: `interrupt` marks a signal as having come to it (PyErr_SetInterruptEx). It may be
// called in a signal handler.
void SharedWithPython(int (*interrupt)(int));

// From now on, an interrupt is for what runs.
void Open();
// An interrupt that comes now is for nobody; one that R has not taken up is dropped.
void Close();
bool IsOpen() noexcept;
// Whether an interrupt has come while it was for nobody. Asking takes the mark away.
bool TakeArrived() noexcept;
// Whether SIGTERM has come.
bool Terminated() noexcept;
// Can be read when a signal has come since it was last drained.
int WakeDescriptor() noexcept;
void DrainWake() noexcept;

}  // namespace interrupts
}  // namespace console::r

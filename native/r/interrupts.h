// Interrupts and requests to end, in a process that R and Python share: SIGINT and SIGTERM, on Windows Ctrl-C and
// Ctrl-Break.
#pragma once

namespace console::r {

struct Library;

// There is one process, so there is one of it.
namespace interrupts {

// Installs the handlers.
void Install(const Library& library);
// Installs one of them again, for SIGINT or the signal that ends, after an interpreter has put another in its place.
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
// Whether this process was asked to end by a signal.
bool Terminated() noexcept;

// Whether R has not taken up an interrupt that has come.
bool IsPending() noexcept;
// There is one for R to take up.
void Mark() noexcept;
// There is none any more.
void Drop() noexcept;

}  // namespace interrupts
}  // namespace console::r

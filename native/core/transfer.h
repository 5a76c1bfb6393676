// Moving bytes through open files that never block: transfer.cc of native/unix and of native/platform/windows.
#pragma once

#include <cstddef>

#include "core/descriptor.h"

namespace console {

// Reads up to `size` bytes into `into`. Returns how many; 0 when there is nothing now (or `size` is 0), -1 at end of
// file. EIO counts as end of file: it is how a terminal's master tells that nobody holds the slave. Throws SystemError.
long ReadNow(Handle handle, void* into, std::size_t size);
// Writes up to `size` bytes. Returns how many were taken; 0 when the other side is full now. Throws SystemError (EPIPE
// and EIO when nobody can read any more). On UNIX the process must ignore SIGPIPE, as Node does.
long WriteNow(Handle handle, const void* from, std::size_t size);
// How many bytes ReadNow would find in a pipe. Throws SystemError.
long Available(Handle handle);

}  // namespace console

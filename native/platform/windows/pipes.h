// Named pipes, and what is on its way into them.
#pragma once

#include "core/platform.h"

namespace console::platform {

struct PipeModes {
	// What CreateNamedPipeW takes for the end that stays here.
	unsigned long near_access;
	// What CreateFileW takes for the other.
	unsigned long far_access;
	unsigned long far_flags;
	// How many bytes it holds each way.
	unsigned long size;
};

// Both ends of a new pipe. `near_end` takes overlapped calls; nobody inherits either. Throws SystemError.
Ends OpenNamedPipe(const PipeModes& modes);

// Prepares a pipe for WriteNow. Returns an event, set while all that was written has been taken, which lives as long as
// the pipe is open. Throws SystemError.
Handle PrepareWriting(Handle pipe);
// The event of a pipe that was prepared. Throws SystemError (EBADF) for others.
Handle WrittenEvent(Handle pipe);
// Forgets what is on its way into a pipe that is about to be closed. Does nothing for others. Never fails.
void AbandonWriting(Handle pipe) noexcept;

}  // namespace console::platform

// The platform layer, as the addon uses it: everything that the systems do differently. Each has a folder under
// native/platform with the same files; what Linux and macOS share is in native/unix. native/sources.json names the
// files, the build chooses the folders. The launcher's side of it is launcher/system.h.
//
// Every function throws SystemError when the system refuses, unless it says otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/descriptor.h"

namespace console {

// How a process went: exactly one of the two is meaningful. Windows knows no signals.
struct ExitStatus {
	bool signalled;
	// The exit code, or the number of the signal.
	std::int64_t value;
};

namespace platform {

// Two ends of one pipe, socket pair or terminal. No process that this one starts has them by accident. `near_end` stays
// in this process and never blocks; `far_end` is for the other side and blocks, as programs expect.
struct Ends {
	Descriptor near_end;
	Descriptor far_end;
};

// descriptors.cc

// A pipe; `near_end` reads, `far_end` writes.
Ends OpenPipe();
// Makes room for up to 1 MiB in a pipe, if the system allows. Never fails.
void EnlargePipe(Handle handle) noexcept;
// A connected pair of stream sockets (on Windows the two ends of a named pipe).
Ends OpenChannel();

// terminal.cc

// A pseudo-terminal in raw mode, 24 by 80; `near_end` is the master, `far_end` the slave. It becomes nobody's
// controlling terminal. On Windows a pipe that carries the exact bytes to `far_end`.
Ends OpenTerminal();
// Puts a terminal into raw mode: no echo, no signals, no translation, eight bits. Takes effect at once, loses no input.
// `terminal` is either end. Does nothing when it is raw already, or no terminal (on Windows).
void MakeRaw(Handle terminal);
// What the launcher waits for in the server's place to learn that a terminal can be read or written, given `near_end`:
// on UNIX the terminal itself, on Windows an event that is set while all that was written has been taken. Belongs to
// the terminal.
Handle Watchable(Handle terminal);

// spawn.cc

// Starts `program` with `arguments` (the first is argv[0]) and an empty environment, apart from everything that this
// process's terminal or console brings: on UNIX as the leader of a new session where posix_spawn can do that, with
// default signal dispositions and an empty mask, on Windows in a console of its own without a window. handles[i]
// becomes descriptor i of the new process. Others may be inherited too, so the program closes what it does not know.
ProcessId Spawn(const std::string& program, const std::vector<std::string>& arguments,
                const std::vector<Handle>& handles);

// processes.cc

// A point in time that processes can be compared with; see docs/private-channel.md.
struct Moment {
	// Linux: clock ticks since boot. macOS: microseconds of the wall clock. Windows: the same, and nobody compares.
	std::int64_t ticks;
	// The process id that was given out last, where the system tells.
	ProcessId newest;
};

// When a process began, as Moment::ticks counts; nothing when there is none with this id, or it has ended.
std::optional<std::int64_t> StartOf(ProcessId pid);

// The moment now: every process that exists already began before it, every later one after it.
Moment Now();

}  // namespace platform

}  // namespace console

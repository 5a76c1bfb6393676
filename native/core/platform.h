// The platform layer: everything that Linux and macOS do differently. Each platform has a folder under native/platform
// with the same files and the same functions; native/sources.json names the files, the build chooses the folder.
//
// Every function throws SystemError when the system refuses, unless it says otherwise.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/descriptor.h"

namespace console::platform {

// Two descriptors of one pipe, socket pair or terminal. Both are close-on-exec. `near` stays in this process and never
// blocks; `far` is for the other side and blocks, as programs expect.
struct Ends {
	Descriptor near;
	Descriptor far;
};

// descriptors.cc

// A pipe; `near` reads, `far` writes.
Ends OpenPipe();
// Makes room for up to 1 MiB in a pipe, if the system allows. Never fails.
void EnlargePipe(int descriptor) noexcept;
// A connected pair of UNIX stream sockets.
Ends OpenChannel();
// Closes every descriptor of this process from `lowest` on. Never fails.
void CloseFrom(int lowest) noexcept;
// poll(2), for every kind of descriptor. `timeout` is in milliseconds, -1 waits for ever. False when a signal came
// first.
bool Poll(std::vector<pollfd>& states, int timeout);

// terminal.cc

// A pseudo-terminal in raw mode, 24 by 80; `near` is the master, `far` the slave. It becomes nobody's controlling
// terminal.
Ends OpenTerminal();

// spawn.cc

// Starts `program` with `arguments` (the first is argv[0]) and an empty environment as the leader of a new session
// where posix_spawn can do that, with default signal dispositions and an empty mask. descriptors[i] becomes descriptor
// i of the new process. Descriptors that are not close-on-exec may be inherited too, so the program closes what it does
// not know.
pid_t Spawn(const std::string& program, const std::vector<std::string>& arguments, const std::vector<int>& descriptors);
// Makes this process the parent of its descendants' orphans. False where the system has no such thing.
bool AdoptOrphans() noexcept;
// Gives every signal its default disposition and unblocks all. For a process with one thread. Never fails.
void ResetSignals() noexcept;
// Asks for SIGKILL when `parent`, the parent of this process, dies, where the system can do that.
void DieWithParent(pid_t parent) noexcept;

// Asks for SIGCONT when the parent of this process dies, where the system can do that: stopped, it could not do what it
// has to do then.
void WakeWithoutParent() noexcept;

// processes.cc

struct Process {
	pid_t pid;
	pid_t parent;
	pid_t session;
	// When it began, in the unit of Moment::ticks.
	std::int64_t start;
	// It has ended and waits to be reaped.
	bool dead;
};

// A point in time that processes can be compared with; see docs/private-channel.md.
struct Moment {
	// Linux: clock ticks since boot. macOS: microseconds of the wall clock.
	std::int64_t ticks;
	// The process id that was given out last.
	pid_t newest;
};

// All processes that can be seen, in no order. Not a snapshot: those that come or go meanwhile may be missing.
std::vector<Process> ListProcesses();
// The moment now: every process that exists already began before it, every later one after it.
Moment Now();
// Whether `process` began after `moment`, also when both are in the same tick.
bool BeganAfter(const Process& process, const Moment& moment);

}  // namespace console::platform

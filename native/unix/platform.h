// What Linux and macOS do differently, and Windows has no notion of: the part of the platform layer that only
// native/unix uses. Each of the two has a folder under native/platform with the same files and the same functions.
//
// Every function throws SystemError when the system refuses, unless it says otherwise.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <vector>

#include "core/platform.h"

namespace console::platform {

// descriptors.cc

// Closes every descriptor of this process from `lowest` on. Never fails.
void CloseFrom(int lowest) noexcept;
// poll(2), for every kind of descriptor. `timeout` is in milliseconds, -1 waits for ever. False when a signal came
// first.
bool Poll(std::vector<pollfd>& states, int timeout);

// spawn.cc

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

// All processes that can be seen, in no order. Not a snapshot: those that come or go meanwhile may be missing.
std::vector<Process> ListProcesses();
// Sends a signal to the first thread of a process, where the system can do that and the thread does not block it: an
// interpreter of ours sees its signals there. Sent to the process, the signal goes to whichever thread takes it up
// first when the process was stopped, and Python 3.9 to 3.12 does not tell a first thread that computes. Returns 0 or
// an errno.
int SignalFirstThread(pid_t pid, int number) noexcept;
// Whether `process` began after `moment`, also when both are in the same tick.
bool BeganAfter(const Process& process, const Moment& moment);

}  // namespace console::platform

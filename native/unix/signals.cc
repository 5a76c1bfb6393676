// Signals of the launcher: the ones it must survive, and the ones that wake its loop.
#include "unix/signals.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "core/system_error.h"
#include "core/transfer.h"
#include "unix/flags.h"
#include "unix/platform.h"

namespace console {
namespace {

// Where the handler writes. The only thing that it may know.
volatile std::sig_atomic_t wakeup_pipe = -1;

void Note(int number) {
	const int before = errno;
	const char byte = static_cast<char>(number);
	// A full pipe wakes the loop as well as one byte more would.
	static_cast<void>(!::write(wakeup_pipe, &byte, 1));
	errno = before;
}

void Install(int number, void (*handler)(int), int flags) {
	struct sigaction action{};
	action.sa_handler = handler;
	action.sa_flags = flags;
	if (::sigaction(number, &action, nullptr) != 0) throw SystemError("sigaction", errno);
}

}  // namespace

Signals::Signals() : pipe_(platform::OpenPipe()) {
	SetNonBlocking(pipe_.far_end.Get());
	wakeup_pipe = pipe_.far_end.Get();
	// SIGHUP: the terminal was closed. SIGTTOU: tcsetpgrp from the background. SIGPIPE: the server is gone; the write
	// says so. The others are a cell's way of signalling its process group, its session or its parent.
	for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, SIGALRM}) {
		Install(number, SIG_IGN, 0);
	}
	Install(SIGCHLD, Note, SA_RESTART | SA_NOCLDSTOP);
	Install(SIGTERM, Note, SA_RESTART);
}

Signals::~Signals() {
	Install(SIGCHLD, SIG_DFL, 0);
	Install(SIGTERM, SIG_IGN, 0);
	wakeup_pipe = -1;
}

bool Signals::Take() {
	bool terminated = false;
	char bytes[256];
	for (;;) {
		const long count = ReadNow(pipe_.near_end.Get(), bytes, sizeof bytes);
		if (count <= 0) return terminated;
		for (long index = 0; index < count; ++index) terminated = terminated || bytes[index] == SIGTERM;
	}
}

}  // namespace console

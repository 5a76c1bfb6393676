#include "r/interrupts.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "core/descriptor.h"
#include "core/system_error.h"
#include "r/r_library.h"
#include "unix/flags.h"
#include "unix/r/wake.h"

namespace console::r::interrupts {
namespace {

volatile sig_atomic_t open = 0;
volatile sig_atomic_t arrived = 0;
volatile sig_atomic_t terminated = 0;
volatile int* pending = nullptr;
int (*volatile interrupt_python)(int) = nullptr;
int wake_ends[2] = {-1, -1};

void Wake() {
	const int saved = errno;
	static_cast<void>(!::write(wake_ends[1], "", 1));
	errno = saved;
}

void OnInterrupt(int number) {
	if (open != 0) {
		*pending = 1;
		if (interrupt_python != nullptr) interrupt_python(number);
	} else {
		arrived = 1;
	}
	Wake();
}

void OnTerminate(int number) {
	terminated = 1;
	*pending = 1;
	if (interrupt_python != nullptr) interrupt_python(number);
	Wake();
}

// Nothing: a write to a pipe without a reader fails with EPIPE instead. A child gets the default back, as it would not
// with SIG_IGN.
void OnBrokenPipe(int) {}

void Handle(int number, void (*handler)(int), int flags) {
	struct sigaction action = {};
	action.sa_handler = handler;
	action.sa_flags = flags;
	sigemptyset(&action.sa_mask);
	::sigaction(number, &action, nullptr);
}

}  // namespace

void Install(const Library& library) {
	pending = library.interrupts_pending;
	if (::pipe(wake_ends) != 0) throw SystemError("pipe", errno);
	for (const int end : wake_ends) {
		SetCloseOnExec(end);
		SetNonBlocking(end);
	}
	InstallAgain(SIGINT);
	InstallAgain(SIGTERM);
	Handle(SIGPIPE, OnBrokenPipe, SA_RESTART);
}

void InstallAgain(int number) {
	Handle(number, number == SIGTERM ? OnTerminate : OnInterrupt, 0);
}

void SharedWithPython(int (*interrupt)(int)) {
	interrupt_python = interrupt;
}

void Open() {
	open = 1;
}

void Close() {
	open = 0;
	if (terminated == 0) Drop();
}

bool IsOpen() noexcept {
	return open != 0;
}

bool TakeArrived() noexcept {
	const bool came = arrived != 0;
	arrived = 0;
	return came;
}

bool Terminated() noexcept {
	return terminated != 0;
}

bool IsPending() noexcept {
	return *pending != 0;
}

void Mark() noexcept {
	*pending = 1;
}

void Drop() noexcept {
	*pending = 0;
}

int WakeDescriptor() noexcept {
	return wake_ends[0];
}

void DrainWake() noexcept {
	char bytes[64];
	while (::read(wake_ends[0], bytes, sizeof bytes) > 0) continue;
}

}  // namespace console::r::interrupts

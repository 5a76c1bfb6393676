#include "r/interrupts.h"

#include <dlfcn.h>
#include <pthread.h>
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

// Whether a handler is one of the library that R is.
bool IsOfR(void (*handler)(int)) {
	Dl_info own = {};
	Dl_info other = {};
	return handler != SIG_DFL && handler != SIG_IGN && ::dladdr(const_cast<int*>(pending), &own) != 0 &&
	       ::dladdr(reinterpret_cast<void*>(handler), &other) != 0 && own.dli_fbase == other.dli_fbase;
}

bool IsOfR(int number) {
	struct sigaction now = {};
	::sigaction(number, nullptr, &now);
	return IsOfR(now.sa_handler);
}

void Handle(int number, void (*handler)(int), int flags) {
	struct sigaction action = {};
	action.sa_handler = handler;
	action.sa_flags = flags;
	sigemptyset(&action.sa_mask);
	::sigaction(number, &action, nullptr);
}

// A fork child that is asked to end ends, as one of any R does, from its first moment on: until it has the default
// handler back, the signal waits.
thread_local sigset_t mask_before_fork;

void BeforeFork() {
	sigset_t held;
	sigemptyset(&held);
	sigaddset(&held, SIGTERM);
	::pthread_sigmask(SIG_BLOCK, &held, &mask_before_fork);
}

void AfterFork() {
	::pthread_sigmask(SIG_SETMASK, &mask_before_fork, nullptr);
}

void AfterForkInChild() {
	struct sigaction now = {};
	::sigaction(SIGTERM, nullptr, &now);
	if (now.sa_handler == OnTerminate) Handle(SIGTERM, SIG_DFL, 0);
	AfterFork();
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
	::pthread_atfork(BeforeFork, AfterFork, AfterForkInChild);
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

// Before R waits in select(), it puts a handler of SIGINT in place that jumps out of the wait, then takes up an
// interrupt that is pending, and so leaves the handler there: the next SIGINT would jump to where nothing is any more.
// So while one is pending that handler is not put there: R will not wait. The dynamic linker finds this before the C
// library's.
//
// An interrupt that comes as soon as that handler is there has it put back what R knows to have been there before: the
// default, when it is the first wait of all, and the next interrupt would end the process.
#ifndef __THROW
#define __THROW
#endif
extern "C" __attribute__((visibility("default"))) void (*signal(int number, void (*handler)(int)) __THROW)(int) {
	using Handler = void (*)(int);
	static const auto install = reinterpret_cast<Handler (*)(int, Handler)>(::dlsym(RTLD_NEXT, "signal"));
	using namespace console::r::interrupts;
	if (number != SIGINT || pending == nullptr) return install(number, handler);
	if (handler == SIG_DFL && IsOfR(number)) return install(number, OnInterrupt);
	if (!IsOfR(handler)) return install(number, handler);
	sigset_t held;
	sigset_t before;
	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	::pthread_sigmask(SIG_BLOCK, &held, &before);
	const Handler previous = IsPending() ? OnInterrupt : install(number, handler);
	::pthread_sigmask(SIG_SETMASK, &before, nullptr);
	return previous;
}

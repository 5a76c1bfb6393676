// Ctrl-C and Ctrl-Break in the console that the launcher shares with its runtimes. Windows tells of them in a thread of
// its own, while the main thread goes on.
#include "r/interrupts.h"

#include <windows.h>

#include <atomic>

#include "core/descriptor.h"
#include "errors.h"
#include "r/r_library.h"
#include "r/wake.h"

namespace console::r::interrupts {
namespace {

constexpr int kInterrupt = 2;  // SIGINT of every C runtime

std::atomic<bool> open{false};
std::atomic<bool> arrived{false};
std::atomic<bool> terminated{false};
std::atomic<int (*)(int)> interrupt_python{nullptr};
// R takes up the first at its next look, and the second once interrupts are not suspended any more.
volatile int* user_break = nullptr;
volatile int* pending = nullptr;
DWORD main_thread = 0;
HANDLE wake = nullptr;

void Tell() {
	*user_break = 1;
	if (int (*const interrupt)(int) = interrupt_python) interrupt(kInterrupt);
	// Whatever waits for messages looks for an interrupt as well.
	::PostThreadMessageW(main_thread, WM_NULL, 0, 0);
}

BOOL WINAPI OnControl(DWORD event) {
	if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) return FALSE;
	if (event == CTRL_BREAK_EVENT) {
		terminated = true;
		Tell();
	} else if (open) {
		Tell();
	} else {
		arrived = true;
	}
	::SetEvent(wake);
	return TRUE;
}

}  // namespace

void Install(const Library& library) {
	library.LookUp("UserBreak", user_break);
	library.LookUp("R_interrupts_pending", pending);
	main_thread = ::GetCurrentThreadId();
	wake = ::CreateEventW(nullptr, TRUE, FALSE, nullptr);
	if (wake == nullptr) throw LastError("CreateEventW");
	::SetConsoleCtrlHandler(nullptr, FALSE);
	if (!::SetConsoleCtrlHandler(OnControl, TRUE)) throw LastError("SetConsoleCtrlHandler");
}

// The handler that was set last is asked first, and the C runtimes' own ones are set when a program sets a signal's.
void InstallAgain(int) {
	::SetConsoleCtrlHandler(OnControl, FALSE);
	::SetConsoleCtrlHandler(OnControl, TRUE);
}

void SharedWithPython(int (*interrupt)(int)) {
	interrupt_python = interrupt;
}

void Open() {
	open = true;
}

void Close() {
	open = false;
	if (!terminated) Drop();
}

bool IsOpen() noexcept {
	return open;
}

bool TakeArrived() noexcept {
	return arrived.exchange(false);
}

bool Terminated() noexcept {
	return terminated;
}

bool IsPending() noexcept {
	return *user_break != 0 || *pending != 0;
}

void Mark() noexcept {
	*pending = 1;
}

void Drop() noexcept {
	*user_break = 0;
	*pending = 0;
}

Handle WakeEvent() noexcept {
	return wake;
}

void DrainWake() noexcept {
	::ResetEvent(wake);
}

}  // namespace console::r::interrupts

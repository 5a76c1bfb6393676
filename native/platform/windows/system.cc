// The launcher's side of the platform layer on Windows: one completion port, a job, and the launcher's own console.
#include "launcher/system.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <cerrno>

#include "control.h"
#include "core/system_error.h"
#include "errors.h"
#include "job.h"
#include "runtime.h"
#include "start_process.h"

namespace console {
namespace {

constexpr int kTerminalNumber = 0;
constexpr int kOutputNumber = 1;
constexpr int kErrorNumber = 2;
constexpr int kControlNumber = 3;
constexpr int kFirstChannel = 4;

// What the port tells of.
enum Key : std::size_t { kControl, kJob, kExit, kTerminal };

// What this process was given under a number, for itself alone.
Handle Numbered(int number) {
	const Handle handle = GivenHandle(number);
	::SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0);
	return handle;
}

std::vector<Runtime> InheritedRuntimes(int count) {
	std::vector<Runtime> runtimes;
	for (int runtime = 0; runtime < count; ++runtime)
		runtimes.emplace_back(Descriptor(Numbered(kFirstChannel + runtime)));
	return runtimes;
}

Descriptor NewPort() {
	const HANDLE port = ::CreateIoCompletionPort(INVALID_HANDLE_VALUE, nullptr, 0, 1);
	if (port == nullptr) throw LastError("CreateIoCompletionPort");
	return Descriptor(port);
}

// An interrupt goes to everybody in the console; this process only raises it. To ignore it instead would be inherited
// by the runtimes.
BOOL WINAPI Survive(DWORD) {
	return TRUE;
}

void SettleInConsole() {
	// A server that was started in a process group of its own ignores interrupts, and so would all that it starts.
	::SetConsoleCtrlHandler(nullptr, FALSE);
	if (!::SetConsoleCtrlHandler(Survive, TRUE)) throw LastError("SetConsoleCtrlHandler");
	// What programs ask the console for when they choose an encoding.
	::SetConsoleCP(CP_UTF8);
	::SetConsoleOutputCP(CP_UTF8);
	// No dialogue that nobody sees holds up a program that crashes. Inherited.
	::SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
}

void CALLBACK TellWritten(void* port, BOOLEAN) {
	::PostQueuedCompletionStatus(port, 0, kTerminal, nullptr);
}

}  // namespace

struct System::Parts {
	explicit Parts(int count)
	    : port(NewPort()),
	      control(Descriptor(Numbered(kControlNumber)), port.Get(), kControl),
	      runtimes(InheritedRuntimes(count)),
	      written(Numbered(kFirstChannel + count)) {
		SettleInConsole();
		job.Tell(port.Get(), kJob);
	}
	~Parts() { StopWatching(); }

	void Take(DWORD count, std::size_t key, const OVERLAPPED* call, bool failed, News& news);
	void StopWatching() noexcept;

	Descriptor port;
	Job job;
	Control control;
	std::vector<Runtime> runtimes;
	// Set while the terminal has taken all that the server has written.
	Descriptor written;
	// The wait for it, while the server wants to know.
	Handle watch = kNoHandle;
	bool output_released = false;
	bool hang_up_told = false;
	// What is known before anybody asks.
	std::vector<RuntimeNews> starts;
};

System::System(int runtimes) : parts_(std::make_unique<Parts>(runtimes)) {}

System::~System() = default;

News System::Wait(Milliseconds timeout) {
	News news;
	news.runtimes.swap(parts_->starts);
	// A server that was gone before anything could be read is not news of the port.
	const bool is_news = !news.runtimes.empty() || (parts_->control.HasEnded() && !parts_->hang_up_told);
	// Everything that is there is taken; only the first is waited for.
	DWORD patience = is_news ? 0 : timeout < 0 ? INFINITE : static_cast<DWORD>(timeout);
	for (;; patience = 0) {
		DWORD count = 0;
		ULONG_PTR key = 0;
		OVERLAPPED* call = nullptr;
		const bool done = ::GetQueuedCompletionStatus(parts_->port.Get(), &count, &key, &call, patience);
		if (!done && call == nullptr) {
			if (::GetLastError() != WAIT_TIMEOUT) throw LastError("GetQueuedCompletionStatus");
			break;
		}
		parts_->Take(count, key, call, !done, news);
	}
	news.hung_up = parts_->hang_up_told = parts_->control.HasEnded();
	return news;
}

void System::Parts::Take(DWORD count, std::size_t key, const OVERLAPPED* call, bool failed, News& news) {
	switch (key) {
		case kControl:
			return control.Take(call, count, failed, news.received);
		case kExit: {
			const ProcessId pid = runtimes[count].Pid();
			news.runtimes.push_back({count, RuntimeNews::Kind::kExited, pid, {}, runtimes[count].Reap()});
			return;
		}
		case kTerminal:
			StopWatching();
			news.writable = true;
			return;
		default:
			// Somebody has come or gone in the job: the loop looks again.
			return;
	}
}

void System::Parts::StopWatching() noexcept {
	if (watch != kNoHandle) ::UnregisterWaitEx(std::exchange(watch, kNoHandle), INVALID_HANDLE_VALUE);
}

void System::Send(std::string_view bytes) {
	parts_->control.Send(bytes);
}

void System::Deafen() noexcept {
	parts_->control.GiveUp();
}

// Nobody writes to what stands for the terminal, so it is never read.
void System::Watch(bool, bool write) {
	if (!write || parts_->watch != kNoHandle) return;
	if (!::RegisterWaitForSingleObject(&parts_->watch, parts_->written.Get(), TellWritten, parts_->port.Get(), INFINITE,
	                                   WT_EXECUTEONLYONCE)) {
		throw LastError("RegisterWaitForSingleObject");
	}
}

void System::ReleaseOutput() noexcept {
	if (parts_->output_released) return;
	const int nothing = ::_open("NUL", _O_RDWR | _O_NOINHERIT);
	if (nothing < 0) return;
	::_dup2(nothing, kOutputNumber);
	::_dup2(nothing, kErrorNumber);
	::_close(nothing);
	parts_->output_released = true;
}

std::optional<StartFailure> System::Start(std::size_t runtime, const StartRequest& request) {
	Runtime& starting = parts_->runtimes[runtime];
	const std::vector<Handle> standard{Numbered(kTerminalNumber), Numbered(kOutputNumber), Numbered(kErrorNumber)};
	const std::optional<StartFailure> failure =
	    starting.Start(request, standard, parts_->job, parts_->port.Get(), kExit, runtime);
	if (!failure) parts_->starts.push_back({runtime, RuntimeNews::Kind::kStarted, starting.Pid(), {}, {}});
	return failure;
}

bool System::WasStarted(std::size_t runtime) const noexcept {
	return parts_->runtimes[runtime].WasStarted();
}

bool System::HasRuntimes() const noexcept {
	for (const Runtime& runtime : parts_->runtimes) {
		if (runtime.Pid() != 0) return true;
	}
	return false;
}

// A Ctrl-C in the launcher's console, which is the runtimes' and of most that they start. The console does not tell its
// processes apart.
System::Interruption System::Interrupt(std::size_t runtime, const platform::Moment&) {
	if (parts_->runtimes[runtime].Pid() == 0) return {0, ESRCH};
	if (!::GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) return {0, ErrnoOf(::GetLastError())};
	DWORD process = 0;
	const DWORD count = ::GetConsoleProcessList(&process, 1);
	return {count > 1 ? static_cast<int>(count) - 1 : 1, 0};
}

// A Ctrl-Break: programs that have no handler for it end.
void System::Terminate() {
	::GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, 0);
}

System::Killing System::Kill() {
	const int count = parts_->job.Count();
	parts_->job.End();
	return {count, 0};
}

bool System::IsGone() {
	return !HasRuntimes() && parts_->job.Count() == 0;
}

// The job closes with this process, and ends them.
void KillFamily() noexcept {}

}  // namespace console

#include "r/output.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <thread>

#include "core/descriptor.h"

namespace console::r {
namespace {

constexpr std::chrono::milliseconds kTick{20};
// A pipe that takes anything takes as much as this at once (PIPE_BUF of Linux and macOS is no smaller).
constexpr std::size_t kMostHeld = 512;
constexpr int kSpareNumber = 100;

// There is one console in a process; fork handlers and C's own functions take no argument that could lead to it.
Output* the_output = nullptr;

// Returns how many bytes could not be written: where a cell has closed the descriptor, the text is lost, as in any R.
std::size_t WriteAll(int descriptor, std::string_view text) {
	while (!text.empty()) {
		const ssize_t count = ::write(descriptor, text.data(), text.size());
		if (count >= 0) {
			text.remove_prefix(static_cast<std::size_t>(count));
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			pollfd state{descriptor, POLLOUT, 0};
			::poll(&state, 1, -1);
		} else if (errno != EINTR) {
			return text.size();
		}
	}
	return 0;
}

}  // namespace

// The beginning of a line on fd 1 is held in C's stdout, so that what C code prints keeps its place. A thread, which
// exists only while something is held, writes it out.
struct Output::Parts {
	~Parts() { StopFlusher(); }

	void Write(int descriptor, std::string_view text);
	void Flush();
	void Want();
	void FlushSoon();
	void StopFlusher();

	void TellLost(int descriptor, std::size_t& lost) const;

	static void BeforeFork();
	static void AfterFork();
	static void AfterForkInChild();

	std::mutex mutex;
	// How many bytes R has put into C's stdout since it was flushed.
	std::size_t held = 0;
	// How many bytes for fd 1 and 2 were lost and are not told.
	std::size_t lost_output = 0;
	std::size_t lost_errors = 0;
	// The pipe once more, beyond the numbers that code closes and opens.
	const Descriptor spare{::fcntl(2, F_DUPFD_CLOEXEC, kSpareNumber)};
	std::condition_variable wake;
	std::thread flusher;
	bool flushing = false;
	bool stopping = false;
};

Output::Output() : parts_(std::make_unique<Parts>()) {
	the_output = this;
	::pthread_atfork(Parts::BeforeFork, Parts::AfterFork, Parts::AfterForkInChild);
}

Output::~Output() = default;

void Output::Write(int descriptor, std::string_view text) {
	if (before_) before_();
	const std::lock_guard lock(parts_->mutex);
	parts_->Write(descriptor, text);
}

void Output::Release() {
	if (before_) before_();
	ReleaseHeld();
}

void Output::ReleaseHeld() {
	const std::lock_guard lock(parts_->mutex);
	parts_->Flush();
}

void Output::Parts::Write(int descriptor, std::string_view text) {
	const std::size_t end = text.rfind('\n') + 1;  // 0 when there is none
	if (descriptor != 1 || (held == 0 && end > 0) || held + text.size() > kMostHeld) {
		Flush();
		(descriptor == 1 ? lost_output : lost_errors) +=
		    WriteAll(descriptor, descriptor == 1 ? text.substr(0, end) : text);
		text.remove_prefix(descriptor == 1 ? end : text.size());
	}
	while (text.size() > kMostHeld) {
		lost_output += WriteAll(1, text.substr(0, kMostHeld));
		text.remove_prefix(kMostHeld);
	}
	if (text.empty()) return;
	std::fwrite(text.data(), 1, text.size(), stdout);
	held += text.size();
	if (text.find('\n') != std::string_view::npos) {
		Flush();
	} else {
		Want();
	}
}

// stdio drops what a full pipe refuses, so it is asked only when the pipe takes as much as is ever held.
void Output::Parts::Flush() {
	pollfd state{1, POLLOUT, 0};
	if (held > 0) ::poll(&state, 1, -1);
	std::fflush(stdout);
	// Also when the end of a line has had stdio write it before.
	if (std::ferror(stdout) != 0) lost_output += held;
	std::clearerr(stdout);
	held = 0;
}

void Output::TellLost() {
	const std::lock_guard lock(parts_->mutex);
	parts_->Flush();
	parts_->TellLost(1, parts_->lost_output);
	parts_->TellLost(2, parts_->lost_errors);
}

void Output::Parts::TellLost(int descriptor, std::size_t& lost) const {
	if (lost > 0) WriteAll(spare.Get(), LostText(descriptor, lost));
	lost = 0;
}

// Starts the thread that writes what is held, unless it runs. Without a thread to be had, it is written at once.
void Output::Parts::Want() {
	if (flushing) return;
	if (flusher.joinable()) flusher.join();
	try {
		flushing = true;
		flusher = std::thread([this] { FlushSoon(); });
	} catch (const std::system_error&) {
		flushing = false;
		Flush();
	}
}

void Output::Parts::FlushSoon() {
	sigset_t all;
	sigfillset(&all);
	::pthread_sigmask(SIG_BLOCK, &all, nullptr);  // signals are the main thread's
	std::unique_lock lock(mutex);
	while (!stopping && held > 0) {
		wake.wait_for(lock, kTick);
		Flush();
	}
	flushing = false;
}

void Output::Parts::StopFlusher() {
	{
		const std::lock_guard lock(mutex);
		stopping = true;
	}
	wake.notify_all();
	if (flusher.joinable()) flusher.join();
	stopping = false;
}

// A fork copies one thread only, so no other one of ours may be there, nor hold the mutex.
void Output::Parts::BeforeFork() {
	the_output->ReleaseHeld();
	the_output->parts_->StopFlusher();
	the_output->parts_->mutex.lock();
}

void Output::Parts::AfterFork() {
	the_output->parts_->mutex.unlock();
}

void Output::Parts::AfterForkInChild() {
	the_output->parts_->mutex.unlock();
}

}  // namespace console::r

// R's system() and popen() start children without a fork handler: what is held is written first. The dynamic linker
// finds these before the C library's.
extern "C" {

__attribute__((visibility("default"))) int system(const char* command) {
	static const auto start = reinterpret_cast<int (*)(const char*)>(::dlsym(RTLD_NEXT, "system"));
	if (console::r::the_output != nullptr) console::r::the_output->Release();
	return start(command);
}

__attribute__((visibility("default"))) FILE* popen(const char* command, const char* type) {
	static const auto start = reinterpret_cast<FILE* (*)(const char*, const char*)>(::dlsym(RTLD_NEXT, "popen"));
	if (console::r::the_output != nullptr) console::r::the_output->Release();
	return start(command, type);
}
}

#include "r/output.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>

namespace console::r {
namespace {

constexpr std::chrono::milliseconds kTick{20};
// A pipe that takes anything takes as much as this at once (PIPE_BUF of Linux and macOS is no smaller).
constexpr std::size_t kMostHeld = 512;

// There is one console in a process; fork handlers and C's own functions take no argument that could lead to it.
Output* the_output = nullptr;

// Where a cell has closed the descriptor, the text is lost, as in any R.
void WriteAll(int descriptor, std::string_view text) {
	while (!text.empty()) {
		const ssize_t count = ::write(descriptor, text.data(), text.size());
		if (count >= 0) {
			text.remove_prefix(static_cast<std::size_t>(count));
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			pollfd state{descriptor, POLLOUT, 0};
			::poll(&state, 1, -1);
		} else if (errno != EINTR) {
			return;
		}
	}
}

}  // namespace

Output::Output() {
	the_output = this;
	::pthread_atfork(BeforeFork, AfterFork, AfterForkInChild);
}

void Output::Write(int descriptor, std::string_view text) {
	if (before_) before_();
	std::lock_guard lock(mutex_);
	const std::size_t end = text.rfind('\n') + 1;  // 0 when there is none
	if (descriptor != 1 || (held_ == 0 && end > 0) || held_ + text.size() > kMostHeld) {
		Flush();
		WriteAll(descriptor, descriptor == 1 ? text.substr(0, end) : text);
		text.remove_prefix(descriptor == 1 ? end : text.size());
	}
	while (text.size() > kMostHeld) {
		WriteAll(1, text.substr(0, kMostHeld));
		text.remove_prefix(kMostHeld);
	}
	if (text.empty()) return;
	std::fwrite(text.data(), 1, text.size(), stdout);
	held_ += text.size();
	if (text.find('\n') != std::string_view::npos) {
		Flush();
	} else {
		Want();
	}
}

void Output::Release() {
	if (before_) before_();
	ReleaseHeld();
}

void Output::ReleaseHeld() {
	std::lock_guard lock(mutex_);
	Flush();
}

// stdio drops what a full pipe refuses, so it is asked only when the pipe takes as much as is ever held.
void Output::Flush() {
	pollfd state{1, POLLOUT, 0};
	if (held_ > 0) ::poll(&state, 1, -1);
	std::fflush(stdout);
	held_ = 0;
}

// Starts the thread that writes what is held, unless it runs. Without a thread to be had, it is written at once.
void Output::Want() {
	if (flushing_) return;
	if (flusher_.joinable()) flusher_.join();
	try {
		flushing_ = true;
		flusher_ = std::thread([this] { FlushSoon(); });
	} catch (const std::system_error&) {
		flushing_ = false;
		Flush();
	}
}

void Output::FlushSoon() {
	sigset_t all;
	sigfillset(&all);
	::pthread_sigmask(SIG_BLOCK, &all, nullptr);  // signals are the main thread's
	std::unique_lock lock(mutex_);
	while (!stopping_ && held_ > 0) {
		wake_.wait_for(lock, kTick);
		Flush();
	}
	flushing_ = false;
}

void Output::StopFlusher() {
	{
		std::lock_guard lock(mutex_);
		stopping_ = true;
	}
	wake_.notify_all();
	if (flusher_.joinable()) flusher_.join();
	stopping_ = false;
}

// A fork copies one thread only, so no other one of ours may be there, nor hold the mutex.
void Output::BeforeFork() {
	the_output->ReleaseHeld();
	the_output->StopFlusher();
	the_output->mutex_.lock();
}

void Output::AfterFork() {
	the_output->mutex_.unlock();
}

void Output::AfterForkInChild() {
	the_output->mutex_.unlock();
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

// What R writes to its console, on its way to fd 1 and 2.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace console::r {

// A complete line is in the pipe when Write returns. The beginning of a line on fd 1 is held, so that the pieces of one
// `cat` make one write: in C's stdout, so that what C code prints keeps its place. It goes out before anything is
// written to fd 2, before a child starts, before any event on the private channel, and after 20 ms at the latest, by a
// thread that exists only while something is held.
class Output {
public:
	Output();
	~Output() { StopFlusher(); }
	Output(const Output&) = delete;
	Output& operator=(const Output&) = delete;

	// Writes text to fd 1 or 2, waiting while the pipe is full, also when a child has made it non-blocking.
	void Write(int descriptor, std::string_view text);
	// Writes out what is held, here and by another writer in this process.
	void Release();
	// The same for what is held here, from any thread.
	void ReleaseHeld();
	// What another writer in this process holds is asked to go out before R's text does.
	void Before(std::function<void()> release) { before_ = std::move(release); }

private:
	static void BeforeFork();
	static void AfterFork();
	static void AfterForkInChild();

	void Flush();
	void Want();
	void FlushSoon();
	void StopFlusher();

	std::mutex mutex_;
	// How many bytes R has put into C's stdout since it was flushed.
	std::size_t held_ = 0;
	std::function<void()> before_;
	std::condition_variable wake_;
	std::thread flusher_;
	bool flushing_ = false;
	bool stopping_ = false;
};

}  // namespace console::r

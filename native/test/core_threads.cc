// Opens, uses and closes generations in several threads at once, as the worker threads of one Node process may. Made
// for the thread sanitizer; also fails when a descriptor or a process is left. Usage: core_threads LAUNCHER
#include <dirent.h>
#include <poll.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "core/generation.h"
#include "core/transfer.h"
#include "unix/descendants.h"
#include "unix/platform.h"

namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 25;

std::atomic<int> faults{0};

void Expect(bool holds, const char* what) {
	if (holds) return;
	std::fprintf(stderr, "not so: %s\n", what);
	faults.fetch_add(1);
}

std::string Frame(const std::string& content) {
	std::string frame;
	for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(content.size() >> shift & 0xff);
	return frame + content;
}

void WaitUntilReadable(int descriptor) {
	pollfd state{descriptor, POLLIN, 0};
	while (::poll(&state, 1, -1) < 0 && errno == EINTR) {
	}
}

// Reads until the text ends with `words`, or to end of file. Returns all of it.
std::string ReadUntil(int descriptor, const std::string& words) {
	std::string text;
	char bytes[4096];
	for (;;) {
		const bool complete =
		    text.size() >= words.size() && text.compare(text.size() - words.size(), words.size(), words) == 0;
		if (complete && !words.empty()) return text;
		const long count = console::ReadNow(descriptor, bytes, sizeof bytes);
		if (count < 0) {
			Expect(words.empty(), "the words come before the end of file");
			return text;
		}
		if (count == 0) WaitUntilReadable(descriptor);
		text.append(bytes, static_cast<std::size_t>(count));
	}
}

std::string ReadToEnd(int descriptor) {
	return ReadUntil(descriptor, "");
}

void Send(const console::Generation& generation, const std::string& content) {
	const std::string frame = Frame(content);
	const long count = console::WriteNow(generation.control.Get(), frame.data(), frame.size());
	Expect(count == static_cast<long>(frame.size()), "a small frame is sent whole");
}

void Reap(pid_t launcher) {
	while (!console::ReapLauncher(launcher)) std::this_thread::yield();
}

// A whole life: a runtime that echoes its terminal, an orderly end.
void EchoAndEnd(const char* launcher) {
	console::Generation generation = console::OpenGeneration(launcher, 1);
	using std::string_literals::operator""s;
	Send(generation,
	     "start runtime=0\n/\0"
	     "3\0/bin/sh\0-c\0read line; echo \"got $line\"\0"
	     "0\0"s);
	console::platform::MakeRaw(generation.terminal.Get());
	Expect(console::WriteNow(generation.terminal.Get(), "words\n", 6) == 6, "the terminal takes a line");
	Expect(console::platform::Now().ticks > 0, "there is a clock");
	Expect(ReadToEnd(generation.output.Get()) == "got words\n", "the line comes back");
	char echoed = 0;
	Expect(console::ReadNow(generation.terminal.Get(), &echoed, 1) <= 0, "nothing was echoed");
	// Says that it ended, and stays until the server has heard it and closed.
	ReadUntil(generation.control.Get(), "ended\n");
	generation.control = console::Descriptor();
	Reap(generation.launcher);
}

// A launcher that is killed instead.
void Kill(const char* launcher) {
	const console::Generation generation = console::OpenGeneration(launcher, 2);
	console::KillLauncher(generation.launcher);
	Reap(generation.launcher);
}

// A launcher that is left alone, for another thread's opening to reap.
void Abandon(const char* launcher) {
	const console::Generation generation = console::OpenGeneration(launcher, 1);
	console::AbandonLauncher(generation.launcher);
}

int OpenDescriptors() {
	int count = 0;
	DIR* folder = ::opendir("/dev/fd");
	while (::readdir(folder) != nullptr) ++count;
	::closedir(folder);
	return count;
}

}  // namespace

int main(int count, char** arguments) {
	if (count != 2) {
		std::fputs("usage: core_threads LAUNCHER\n", stderr);
		return 64;
	}
	const char* launcher = arguments[1];
	std::signal(SIGPIPE, SIG_IGN);
	console::platform::Now();  // keeps a descriptor of its own from its first call on
	const int before = OpenDescriptors();
	std::vector<std::thread> threads;
	for (int thread = 0; thread < kThreads; ++thread) {
		threads.emplace_back([&] {
			for (int round = 0; round < kRounds; ++round) {
				EchoAndEnd(launcher);
				Kill(launcher);
				Abandon(launcher);
			}
		});
	}
	for (std::thread& thread : threads) thread.join();
	Expect(OpenDescriptors() == before, "no descriptor is left");
	// The last abandoned ones end within moments; then no child is left.
	while (::waitpid(-1, nullptr, 0) > 0) {
	}
	Expect(console::DescendantsOf(::getpid()).empty(), "no process is left");
	std::printf("%d generations in %d threads, %d faults\n", kThreads * kRounds * 3, kThreads, faults.load());
	return faults.load() == 0 ? 0 : 1;
}

// The managed reads of R's console: everything that R asks for and its top-level loop does not.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

#include "r/console.h"
#include "r/interrupts.h"

namespace console::r {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How long a managed read waits before it says that nothing is there.
constexpr milliseconds kGrace{10};

// Milliseconds until then, at least 0.
int Until(Clock::time_point moment) {
	const auto left = std::chrono::ceil<milliseconds>(moment - Clock::now()).count();
	return static_cast<int>(std::max<milliseconds::rep>(left, 0));
}

}  // namespace

int Console::ReadManaged(const char* prompt, unsigned char* buffer, int size) {
	// An error at a debugger's prompt has not left the cell. Before there is one, an error has left a profile.
	if (phase_ != Phase::kStarting) reset_ = false;
	const std::size_t limit = static_cast<std::size_t>(size) - 1;
	if (!continued_) {
		output_.Write(1, prompt);
		output_.Release();
		input_.MakeUsable();
		++reads_;
		announced_ = false;
	}
	while (!input_.Take(limit)) {
		if (!AwaitInput()) Unwind();
	}
	EndRead();
	const std::string piece = input_.Give(limit);
	std::memcpy(buffer, piece.data(), piece.size());
	buffer[piece.size()] = '\0';
	continued_ = piece.size() == limit && piece.back() != '\n';
	return piece.empty() ? 0 : 1;
}

// Waits until there is something to take, and announces the read once nothing has come for a while, and again after
// each look. Returns false when the read is to end without having got anything.
bool Console::AwaitInput() {
	bool starved = false;
	Clock::time_point patience = Clock::now() + kGrace;
	for (;;) {
		const unsigned ready = Wait(&input_, starved ? Events::kForEver : Until(patience));
		const bool interrupted = interrupts::IsPending() && *library_.interrupts_suspended == 0;
		if (interrupted || channel_.ending || interrupts::Terminated()) return false;
		if ((ready & Events::kInput) != 0) return true;
		if ((ready & Events::kChannel) != 0) {
			const std::int64_t seen = channel_.epoch;
			channel_.Absorb();
			if (channel_.ending) return false;
			if (channel_.epoch != seen) {
				starved = false;
				patience = Clock::now() + kGrace;
			}
		} else if (!starved && Clock::now() >= patience) {
			announced_ = starved = true;
			channel_.Send("starved read=" + std::to_string(reads_) + " epoch=" + std::to_string(channel_.epoch));
		}
	}
}

// A fork child has neither the channel nor the terminal to itself: it reads what its fd 0 is.
int Console::ReadInChild(const char* prompt, unsigned char* buffer, int size) {
	output_.Write(1, prompt);
	output_.Release();
	int count = 0;
	while (count < size - 1 && (count == 0 || buffer[count - 1] != '\n')) {
		const int read = Input::AwaitByte(buffer[count]);
		if (read == 0) break;
		if (read > 0) ++count;
		if (read < 0) library_.check_interrupt();
	}
	buffer[count] = '\0';
	return count > 0 ? 1 : 0;
}

void Console::EndRead() {
	if (!announced_) return;
	announced_ = false;
	channel_.Send("fed read=" + std::to_string(reads_));
}

// Ends a managed read as an interrupt does. When the session ends it does so once, and the next read ends the process:
// code can catch an interrupt, and a debugger's prompt asks again.
void Console::Unwind() {
	EndRead();
	continued_ = false;
	if (channel_.ending || interrupts::Terminated()) {
		if (released_ || *library_.interrupts_suspended != 0) Quit();
		released_ = true;
		interrupts::Mark();
	}
	library_.check_interrupt();
}

}  // namespace console::r

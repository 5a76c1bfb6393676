// What R writes to its console, on its way to fd 1 and 2.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace console::r {

// What a cell is told when text for fd 1 or 2 could not be written: `count` bytes of it, at least one.
inline std::string LostText(int descriptor, std::size_t count) {
	return "[" + (count == 1 ? "1 byte" : std::to_string(count) + " bytes") +
	       " that R has written to file descriptor " + std::to_string(descriptor) +
	       " are lost: it is closed until a restart]\n";
}

// A complete line is in the pipe when Write returns, and all that was written before anything is written to fd 2,
// before a child starts, and before any event on the private channel. The beginning of a line may be held for some 20
// ms, so that the pieces of one `cat` make one write; what C code prints keeps its place.
class Output {
public:
	Output();
	~Output();
	Output(const Output&) = delete;
	Output& operator=(const Output&) = delete;

	// Writes text to fd 1 or 2, waiting while the pipe is full, also when a child has made it non-blocking.
	void Write(int descriptor, std::string_view text);
	// Writes out what is held, here and by another writer in this process.
	void Release();
	// The same for what is held here and by C code, from any thread.
	void ReleaseHeld();
	// Says how much of what R has written since the last time was lost because a cell has closed fd 1 or 2, if any was.
	void TellLost();
	// What another writer in this process holds is asked to go out before R's text does.
	void Before(std::function<void()> release) { before_ = std::move(release); }

private:
	struct Parts;
	std::unique_ptr<Parts> parts_;
	std::function<void()> before_;
};

}  // namespace console::r

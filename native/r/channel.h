// The private channel of a runtime, as the R host and the Python in its process use it together:
// docs/private-channel.md.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "core/frames.h"
#include "r/channel_end.h"

namespace console::r {

class Output;

// The conversation with the server. Only the main thread has it.
class Channel {
public:
	// Throws SystemError when this process was given no channel.
	explicit Channel(Output& output) : output_(output) {}

	const ChannelEnd& End() const noexcept { return end_; }
	// Whether this process is the runtime: a fork child has nothing to say to the server.
	bool IsOurs() const noexcept { return end_.IsOurs(); }

	// Takes in what the server has said, waiting if it has said nothing. Sets `ending` when the server is gone. Ends
	// the process when what it says cannot be understood, or when a cell has closed the channel.
	void Absorb();
	// The same, without waiting.
	void AbsorbWaiting();
	// Sends an event after everything that was written before it. Does nothing in a fork child.
	void Send(const std::string& header, std::string_view body = {});
	// Sends an event that has a place in the text, and returns when it has it. `keys` follow the event's number.
	void Place(const std::string& verb, const std::string& keys, std::string_view body);
	// Sends a question, and returns the answer to it; none when the server is gone. `keys` follow the question's
	// number.
	std::optional<Frame> Ask(const std::string& verb, const std::string& keys, std::string_view body);
	// The number of the last question.
	std::int64_t LastQuestion() const noexcept { return questions_; }

	// What is to be done, in order.
	std::deque<Frame> tasks;
	// How often input had been pushed to the terminal, by the last `look`.
	std::int64_t epoch = 0;
	// The cell that the last `interrupt` was for.
	std::int64_t interrupted = -1;
	// The server ends the session, or is gone.
	bool ending = false;

private:
	void Take(Frame frame);
	void Check();
	[[noreturn]] void Fail(const std::string& reason);

	ChannelEnd end_;
	Output& output_;
	FrameReader reader_;
	std::int64_t placed_ = 0;
	std::int64_t places_ = 0;
	std::int64_t questions_ = 0;
	bool asking_ = false;
	std::optional<Frame> answer_;
};

}  // namespace console::r

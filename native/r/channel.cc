#include "r/channel.h"

#include <utility>

#include "r/output.h"
#include "r/process.h"

namespace console::r {
namespace {

constexpr int kFaultStatus = 70;
constexpr const char* kClosed =
    "the cell closed Console's private channel (file descriptor 3), so the worker has to end";

}  // namespace

void Channel::Absorb() {
	Check();
	const std::optional<std::string> piece = end_.Read();
	if (!piece) {
		ending = true;
		return;
	}
	try {
		reader_.Push(*piece);
		while (std::optional<Frame> frame = reader_.Next()) Take(std::move(*frame));
	} catch (const FrameError& error) {
		Fail(std::string("the private channel broke: ") + error.what());
	}
}

void Channel::AbsorbWaiting() {
	while (!ending && end_.HasInput()) Absorb();
}

void Channel::Send(const std::string& header, std::string_view body) {
	if (!IsOurs()) return;
	output_.Release();
	Check();
	if (!end_.Write(EncodeFrame(header, body))) ending = true;
}

void Channel::Place(const std::string& verb, const std::string& keys, std::string_view body) {
	if (!IsOurs()) return;
	Send(verb + " id=" + std::to_string(++places_) + (keys.empty() ? "" : " " + keys), body);
	while (placed_ < places_ && !ending) Absorb();
}

std::optional<Frame> Channel::Ask(const std::string& verb, const std::string& keys, std::string_view body) {
	if (!IsOurs()) return std::nullopt;
	asking_ = true;
	answer_.reset();
	Send(verb + " id=" + std::to_string(++questions_) + (keys.empty() ? "" : " " + keys), body);
	while (!answer_ && !ending) Absorb();
	asking_ = false;
	return std::exchange(answer_, std::nullopt);
}

void Channel::Take(Frame frame) {
	const std::string& verb = frame.verb;
	if (verb == "cell" || verb == "activate") static_cast<void>(frame.Number("id"));  // who takes it up relies on it
	if (verb == "cell" || verb == "startup" || verb == "begin" || verb == "libraries") {
		tasks.push_back(std::move(frame));
	} else if (verb == "activate" || verb == "unprepared") {
		if (asking_ && frame.Number("id") == questions_) {
			answer_ = std::move(frame);
		} else if (verb == "activate") {
			tasks.push_back(std::move(frame));
		}
	} else if (verb == "look") {
		epoch = frame.Number("epoch");
	} else if (verb == "ack") {
		placed_ = frame.Number("id");
	} else if (verb == "interrupt") {
		interrupted = frame.Number("cell");
	} else if (verb == "shutdown") {
		ending = true;
	} else {
		throw FrameError("an unknown verb " + verb);
	}
}

void Channel::Check() {
	if (!end_.IsIntact()) Fail(kClosed);
}

void Channel::Fail(const std::string& reason) {
	output_.Release();
	output_.Write(2, reason + "\n");
	ExitNow(kFaultStatus);
}

}  // namespace console::r

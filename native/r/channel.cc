#include "r/channel.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "r/output.h"
#include "unix/flags.h"

namespace console::r {
namespace {

constexpr int kFaultStatus = 70;
constexpr std::size_t kPieceSize = std::size_t{1} << 16;
constexpr const char* kClosed =
    "the cell closed Console's private channel (file descriptor 3), so the worker has to end";

}  // namespace

Channel::Channel(int descriptor, Output& output) : descriptor_(descriptor), output_(output), process_(::getpid()) {
	SetCloseOnExec(descriptor);
	struct stat status;
	if (::fstat(descriptor, &status) != 0) Fail("the private channel is missing");
	device_ = status.st_dev;
	file_ = status.st_ino;
}

bool Channel::IsOurs() const noexcept {
	return ::getpid() == process_;
}

void Channel::Absorb() {
	Check();
	char piece[kPieceSize];
	const ssize_t count = ::read(descriptor_, piece, sizeof piece);
	if (count < 0 && errno == EINTR) return;
	if (count <= 0) {
		ending = true;
		return;
	}
	try {
		reader_.Push(std::string_view(piece, static_cast<std::size_t>(count)));
		while (std::optional<Frame> frame = reader_.Next()) Take(std::move(*frame));
	} catch (const FrameError& error) {
		Fail(std::string("the private channel broke: ") + error.what());
	}
}

void Channel::AbsorbWaiting() {
	pollfd state{descriptor_, POLLIN, 0};
	while (!ending && ::poll(&state, 1, 0) > 0) Absorb();
}

void Channel::Send(const std::string& header, std::string_view body) {
	if (!IsOurs()) return;
	output_.Release();
	Check();
	const std::string frame = EncodeFrame(header, body);
	std::string_view rest = frame;
	while (!rest.empty()) {
		const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
		if (count >= 0) {
			rest.remove_prefix(static_cast<std::size_t>(count));
		} else if (errno != EINTR) {
			ending = true;
			return;
		}
	}
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

void Channel::Check() const {
	struct stat status;
	const bool intact = ::fstat(descriptor_, &status) == 0 && status.st_dev == device_ && status.st_ino == file_;
	if (!intact) Fail(kClosed);
}

void Channel::Fail(const std::string& reason) const {
	output_.Release();
	const std::string line = reason + "\n";
	static_cast<void>(!::write(2, line.data(), line.size()));
	::_exit(kFaultStatus);
}

}  // namespace console::r

// The launcher's end of its conversation with the server.
#include "launcher/control.h"

#include <poll.h>

#include "core/flags.h"
#include "core/system_error.h"
#include "core/transfer.h"

namespace console {

Control::Control(Descriptor socket) : socket_(std::move(socket)) {
	SetNonBlocking(socket_.Get());
}

short Control::Interest() const noexcept {
	return static_cast<short>((ended_ ? 0 : POLLIN) | (HasUnsent() ? POLLOUT : 0));
}

void Control::Read() {
	if (ended_) return;
	char bytes[65536];
	try {
		const long count = ReadNow(socket_.Get(), bytes, sizeof bytes);
		if (count < 0) ended_ = true;
		if (count > 0) reader_.Push({bytes, static_cast<std::size_t>(count)});
	} catch (const SystemError&) {
		// A reset connection: the server died with our words unread.
		ended_ = true;
	}
}

std::optional<Frame> Control::Next() {
	try {
		return reader_.Next();
	} catch (const FrameError&) {
		GiveUp();
		return std::nullopt;
	}
}

void Control::Send(const std::string& header) {
	if (deaf_) return;
	unsent_ += EncodeFrame(header);
	Flush();
}

void Control::Flush() {
	try {
		while (!unsent_.empty()) {
			const long count = WriteNow(socket_.Get(), unsent_.data(), unsent_.size());
			if (count == 0) return;
			unsent_.erase(0, static_cast<std::size_t>(count));
		}
	} catch (const SystemError&) {
		// The server is gone. What was meant for it goes with it; reading tells the loop.
		deaf_ = true;
		unsent_.clear();
	}
}

}  // namespace console

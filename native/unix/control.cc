// The launcher's end of its conversation with the server.
#include "unix/control.h"

#include <poll.h>

#include "core/system_error.h"
#include "core/transfer.h"
#include "unix/flags.h"

namespace console {

Control::Control(Descriptor socket) : socket_(std::move(socket)) {
	SetNonBlocking(socket_.Get());
}

short Control::Interest() const noexcept {
	return static_cast<short>((ended_ ? 0 : POLLIN) | (unsent_.empty() ? 0 : POLLOUT));
}

void Control::Read(std::string& received) {
	if (ended_) return;
	char bytes[65536];
	try {
		const long count = ReadNow(socket_.Get(), bytes, sizeof bytes);
		if (count < 0) ended_ = true;
		if (count > 0) received.append(bytes, static_cast<std::size_t>(count));
	} catch (const SystemError&) {
		// A reset connection: the server died with our words unread.
		ended_ = true;
	}
}

void Control::Send(std::string_view bytes) {
	if (deaf_) return;
	unsent_ += bytes;
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

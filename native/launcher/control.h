// The launcher's end of its conversation with the server: frames in and out, without ever waiting.
#pragma once

#include <optional>
#include <string>

#include "core/descriptor.h"
#include "launcher/frames.h"

namespace console {

class Control {
public:
	// `socket` is made non-blocking. Throws SystemError.
	explicit Control(Descriptor socket);

	// What to poll for; 0 when the server is gone.
	short Interest() const noexcept;
	int Get() const noexcept { return socket_.Get(); }

	// Reads what is there. After end of file, an error or FrameError, HasEnded() is true and nothing more is read.
	void Read();
	// The next frame that was read, if there is one.
	std::optional<Frame> Next();
	// Nothing more will come: the server is gone, or cannot be understood.
	bool HasEnded() const noexcept { return ended_; }
	// What was read makes no sense: nothing more is listened to.
	void GiveUp() noexcept { ended_ = true; }

	// Sends one frame now or, when the socket is full, later. Nothing when nobody listens any more.
	void Send(const std::string& header);
	// Goes on with what could not be sent.
	void Flush();
	bool HasUnsent() const noexcept { return !unsent_.empty(); }

private:
	Descriptor socket_;
	FrameReader reader_;
	std::string unsent_;
	bool ended_ = false;
	bool deaf_ = false;
};

}  // namespace console

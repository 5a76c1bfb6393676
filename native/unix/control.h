// The launcher's end of its conversation with the server: bytes in and out, without ever waiting.
#pragma once

#include <string>
#include <string_view>

#include "core/descriptor.h"
#include "core/frames.h"

namespace console {

class Control {
public:
	// `socket` is made non-blocking. Throws SystemError.
	explicit Control(Descriptor socket);

	// What to poll for; 0 when the server is gone.
	short Interest() const noexcept;
	int Get() const noexcept { return socket_.Get(); }

	// Appends what is there to `received`. After end of file or an error HasEnded() is true and nothing more is read.
	void Read(std::string& received);
	// Nothing more will come: the server is gone, or cannot be understood.
	bool HasEnded() const noexcept { return ended_; }
	// Nothing more is listened to.
	void GiveUp() noexcept { ended_ = true; }

	// Sends bytes now or, when the socket is full, later. Nothing when nobody listens any more.
	void Send(std::string_view bytes);
	// Goes on with what could not be sent.
	void Flush();

private:
	Descriptor socket_;
	std::string unsent_;
	bool ended_ = false;
	bool deaf_ = false;
};

}  // namespace console

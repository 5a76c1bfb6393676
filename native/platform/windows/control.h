// The launcher's end of its conversation with the server: bytes in and out through a completion port.
#pragma once

#include <windows.h>

#include <string>
#include <string_view>

#include "core/descriptor.h"

namespace console {

class Control {
public:
	// `pipe` takes overlapped calls; their ends are told to `port` under `key`. Throws SystemError.
	Control(Descriptor pipe, Handle port, std::size_t key);
	Control(const Control&) = delete;
	Control& operator=(const Control&) = delete;
	// Waits for what is under way to be given up.
	~Control();

	// Takes the end of a call that the port has told of: how many bytes it has moved, and whether it has failed. What
	// was read is appended to `received`.
	void Take(const OVERLAPPED* call, std::size_t count, bool failed, std::string& received);
	// Nothing more will come: the server is gone, or cannot be understood.
	bool HasEnded() const noexcept { return ended_; }
	// Nothing more is listened to.
	void GiveUp() noexcept { ended_ = true; }

	// Sends bytes now or, when the server does not read, later. Nothing when nobody listens any more.
	void Send(std::string_view bytes);

private:
	struct Call {
		OVERLAPPED overlapped{};
		bool under_way = false;
	};

	void Read();
	void Write();
	void Cancel(Call& call) noexcept;

	Descriptor pipe_;
	Call reading_;
	Call writing_;
	char bytes_[65536];
	// What the system is writing, and what is to be written after that.
	std::string written_;
	std::string unsent_;
	bool ended_ = false;
	bool deaf_ = false;
};

}  // namespace console

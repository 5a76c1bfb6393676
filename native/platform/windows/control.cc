// The launcher's end of its conversation with the server.
#include "control.h"

#include "errors.h"

namespace console {

Control::Control(Descriptor pipe, Handle port, std::size_t key) : pipe_(std::move(pipe)) {
	if (::CreateIoCompletionPort(pipe_.Get(), port, key, 0) == nullptr) throw LastError("CreateIoCompletionPort");
	Read();
}

Control::~Control() {
	Cancel(reading_);
	Cancel(writing_);
}

void Control::Take(const OVERLAPPED* call, std::size_t count, bool failed, std::string& received) {
	if (call == &writing_.overlapped) {
		writing_.under_way = false;
		deaf_ = deaf_ || failed;
		Write();
		return;
	}
	reading_.under_way = false;
	if (failed) {
		ended_ = true;
		return;
	}
	if (!ended_) received.append(bytes_, count);
	Read();
}

void Control::Send(std::string_view bytes) {
	if (deaf_) return;
	unsent_ += bytes;
	Write();
}

// The end of the call comes through the port, also when it ends at once.
void Control::Read() {
	reading_ = {};
	const bool begun = ::ReadFile(pipe_.Get(), bytes_, sizeof bytes_, nullptr, &reading_.overlapped) ||
	                   ::GetLastError() == ERROR_IO_PENDING;
	reading_.under_way = begun;
	ended_ = ended_ || !begun;
}

void Control::Write() {
	if (writing_.under_way || unsent_.empty()) return;
	written_ = std::move(unsent_);
	unsent_.clear();
	if (deaf_) return;
	writing_ = {};
	const auto size = static_cast<DWORD>(written_.size());
	writing_.under_way = ::WriteFile(pipe_.Get(), written_.data(), size, nullptr, &writing_.overlapped) ||
	                     ::GetLastError() == ERROR_IO_PENDING;
	// The server is gone. What was meant for it goes with it; reading tells the loop.
	deaf_ = !writing_.under_way;
}

void Control::Cancel(Call& call) noexcept {
	if (!call.under_way) return;
	::CancelIoEx(pipe_.Get(), &call.overlapped);
	while (!HasOverlappedIoCompleted(&call.overlapped)) ::SwitchToThread();
}

}  // namespace console

// The runtime's end of its private channel on Windows: a read of the pipe is always under way, because only its event
// can be waited for.
#include "r/channel_end.h"

#include <windows.h>

#include "errors.h"
#include "start_process.h"

namespace console::r {
namespace {

constexpr int kNumber = 3;
constexpr DWORD kPieceSize = 1 << 16;

Descriptor NewEvent() {
	const HANDLE event = ::CreateEventW(nullptr, TRUE, FALSE, nullptr);
	if (event == nullptr) throw LastError("CreateEventW");
	return Descriptor(event);
}

}  // namespace

struct ChannelEnd::Parts {
	explicit Parts(Handle given) : pipe(given), read_event(NewEvent()), write_event(NewEvent()) { Begin(); }
	~Parts() {
		if (ended) return;
		DWORD count = 0;
		::CancelIoEx(pipe, &reading);
		::GetOverlappedResult(pipe, &reading, &count, TRUE);
	}

	void Begin() noexcept;

	// Belongs to the process, like any descriptor below 4.
	Handle pipe;
	Descriptor read_event;
	Descriptor write_event;
	OVERLAPPED reading{};
	char piece[kPieceSize];
	bool ended = false;
};

void ChannelEnd::Parts::Begin() noexcept {
	reading = {};
	reading.hEvent = read_event.Get();
	ended = !::ReadFile(pipe, piece, kPieceSize, nullptr, &reading) && ::GetLastError() != ERROR_IO_PENDING;
	if (ended) ::SetEvent(read_event.Get());
}

ChannelEnd::ChannelEnd() {
	const Handle pipe = GivenHandle(kNumber);
	if (!::SetHandleInformation(pipe, HANDLE_FLAG_INHERIT, 0)) {
		throw LastError("SetHandleInformation", "the private channel");
	}
	parts_ = std::make_unique<Parts>(pipe);
}

ChannelEnd::~ChannelEnd() = default;

Handle ChannelEnd::Readable() const noexcept {
	return parts_->read_event.Get();
}

// Windows has no forks.
bool ChannelEnd::IsOurs() const noexcept {
	return true;
}

bool ChannelEnd::IsIntact() const noexcept {
	return ::GetFileType(parts_->pipe) == FILE_TYPE_PIPE;
}

std::optional<std::string> ChannelEnd::Read() {
	if (parts_->ended) return std::nullopt;
	DWORD count = 0;
	if (!::GetOverlappedResult(parts_->pipe, &parts_->reading, &count, TRUE)) {
		parts_->ended = true;
		::SetEvent(parts_->read_event.Get());
		return std::nullopt;
	}
	std::string bytes(parts_->piece, count);
	parts_->Begin();
	return bytes;
}

bool ChannelEnd::HasInput() const noexcept {
	return ::WaitForSingleObject(parts_->read_event.Get(), 0) == WAIT_OBJECT_0;
}

bool ChannelEnd::Write(std::string_view bytes) {
	while (!bytes.empty()) {
		OVERLAPPED writing{};
		writing.hEvent = parts_->write_event.Get();
		DWORD count = 0;
		const bool begun =
		    ::WriteFile(parts_->pipe, bytes.data(), static_cast<DWORD>(bytes.size()), nullptr, &writing) ||
		    ::GetLastError() == ERROR_IO_PENDING;
		if (!begun || !::GetOverlappedResult(parts_->pipe, &writing, &count, TRUE)) return false;
		bytes.remove_prefix(count);
	}
	return true;
}

}  // namespace console::r

// Moving bytes through pipes without waiting.
#include "core/transfer.h"

#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "errors.h"
#include "pipes.h"

namespace console {
namespace {

// What is on its way into one pipe. The system reads `bytes` until the event is set.
struct Writing {
	Descriptor taken;
	OVERLAPPED call{};
	std::vector<char> bytes;
};

struct Writings {
	std::mutex mutex;
	std::map<Handle, std::unique_ptr<Writing>> pipes;
};

// All threads of the process share it, as they do the handles.
Writings& AllWritings() {
	static Writings writings;
	return writings;
}

Descriptor NewEvent(bool set) {
	const HANDLE event = ::CreateEventW(nullptr, TRUE, set ? TRUE : FALSE, nullptr);
	if (event == nullptr) throw LastError("CreateEventW");
	return Descriptor(event);
}

bool IsEndOfPipe(DWORD error) {
	return error == ERROR_BROKEN_PIPE || error == ERROR_PIPE_NOT_CONNECTED;
}

// How many bytes are in a pipe, -1 at its end. One that is only written to never has any.
long Waiting(Handle pipe) {
	DWORD count = 0;
	if (::PeekNamedPipe(pipe, nullptr, 0, nullptr, &count, nullptr)) return static_cast<long>(count);
	const DWORD error = ::GetLastError();
	if (IsEndOfPipe(error)) return -1;
	if (error == ERROR_ACCESS_DENIED) return 0;
	throw LastError("PeekNamedPipe");
}

}  // namespace

long ReadNow(Handle handle, void* into, std::size_t size) {
	const long waiting = Waiting(handle);
	if (size == 0 || waiting <= 0) return size == 0 ? 0 : waiting;
	const Descriptor event = NewEvent(false);
	OVERLAPPED call{};
	// The lowest bit keeps the completion from whoever has bound the pipe to a port: from Node.
	call.hEvent = reinterpret_cast<HANDLE>(reinterpret_cast<std::uintptr_t>(event.Get()) | 1);
	const auto most = static_cast<DWORD>(std::min<std::size_t>(size, static_cast<std::size_t>(waiting)));
	const bool begun = ::ReadFile(handle, into, most, nullptr, &call) || ::GetLastError() == ERROR_IO_PENDING;
	DWORD count = 0;
	if (begun && ::GetOverlappedResult(handle, &call, &count, TRUE)) return static_cast<long>(count);
	if (IsEndOfPipe(::GetLastError())) return -1;
	throw LastError("ReadFile");
}

long WriteNow(Handle handle, const void* from, std::size_t size) {
	constexpr std::size_t kMost = 64 * 1024;
	if (size == 0) return 0;
	Writings& all = AllWritings();
	const std::lock_guard<std::mutex> lock(all.mutex);
	const auto found = all.pipes.find(handle);
	if (found == all.pipes.end()) throw SystemError("WriteFile", EBADF);
	Writing& writing = *found->second;
	if (::WaitForSingleObject(writing.taken.Get(), 0) != WAIT_OBJECT_0) return 0;
	const char* bytes = static_cast<const char*>(from);
	writing.bytes.assign(bytes, bytes + std::min(size, kMost));
	writing.call = {};
	writing.call.hEvent = writing.taken.Get();
	const auto count = static_cast<DWORD>(writing.bytes.size());
	const bool begun = ::WriteFile(handle, writing.bytes.data(), count, nullptr, &writing.call) ||
	                   ::GetLastError() == ERROR_IO_PENDING;
	if (begun) return static_cast<long>(count);
	const SystemError error = LastError("WriteFile");
	::SetEvent(writing.taken.Get());
	throw error;
}

long Available(Handle handle) {
	return std::max(Waiting(handle), 0L);
}

namespace platform {

Handle PrepareWriting(Handle pipe) {
	auto writing = std::make_unique<Writing>();
	writing->taken = NewEvent(true);
	Writings& all = AllWritings();
	const std::lock_guard<std::mutex> lock(all.mutex);
	return all.pipes.insert_or_assign(pipe, std::move(writing)).first->second->taken.Get();
}

Handle WrittenEvent(Handle pipe) {
	Writings& all = AllWritings();
	const std::lock_guard<std::mutex> lock(all.mutex);
	const auto found = all.pipes.find(pipe);
	if (found == all.pipes.end()) throw SystemError("WriteFile", EBADF);
	return found->second->taken.Get();
}

void AbandonWriting(Handle pipe) noexcept {
	std::unique_ptr<Writing> writing;
	{
		Writings& all = AllWritings();
		const std::lock_guard<std::mutex> lock(all.mutex);
		const auto found = all.pipes.find(pipe);
		if (found == all.pipes.end()) return;
		writing = std::move(found->second);
		all.pipes.erase(found);
	}
	if (::WaitForSingleObject(writing->taken.Get(), 0) == WAIT_OBJECT_0) return;
	DWORD count = 0;
	::CancelIoEx(pipe, &writing->call);
	::GetOverlappedResult(pipe, &writing->call, &count, TRUE);
}

void Close(Handle handle) noexcept {
	AbandonWriting(handle);
	::CloseHandle(handle);
}

}  // namespace platform

}  // namespace console

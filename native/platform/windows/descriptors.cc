// Pipes and channels on Windows: named pipes, since only those can be read and written without waiting.
#include <windows.h>

#include <atomic>
#include <random>

#include "core/platform.h"
#include "errors.h"
#include "pipes.h"

namespace console::platform {
namespace {

// As much as a pipe of the other systems holds at most.
constexpr DWORD kPipeSize = 1024 * 1024;
constexpr DWORD kChannelSize = 64 * 1024;

// A name that nobody else can guess: whoever opened the pipe before we do would be its other end.
std::wstring FreshName() {
	static std::atomic<unsigned> count{0};
	std::random_device random;
	return L"\\\\.\\pipe\\console-mcp-" + std::to_wstring(::GetCurrentProcessId()) + L"-" + std::to_wstring(++count) +
	       L"-" + std::to_wstring(random()) + L"-" + std::to_wstring(random());
}

}  // namespace

Ends OpenNamedPipe(const PipeModes& modes) {
	const std::wstring name = FreshName();
	constexpr DWORD kInstances = 1;
	const HANDLE near_end =
	    ::CreateNamedPipeW(name.c_str(), modes.near_access | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
	                       PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, kInstances,
	                       modes.size, modes.size, 0, nullptr);
	if (near_end == INVALID_HANDLE_VALUE) throw LastError("CreateNamedPipeW");
	Ends ends{Descriptor(near_end), Descriptor()};
	const HANDLE far_end =
	    ::CreateFileW(name.c_str(), modes.far_access, 0, nullptr, OPEN_EXISTING, modes.far_flags, nullptr);
	if (far_end == INVALID_HANDLE_VALUE) throw LastError("CreateFileW", "a named pipe");
	ends.far_end = Descriptor(far_end);
	return ends;
}

// Programs ask the ends of pipes that they are given for their state, and may change it: hence the attributes.
Ends OpenPipe() {
	return OpenNamedPipe({PIPE_ACCESS_INBOUND, GENERIC_WRITE | FILE_READ_ATTRIBUTES, 0, kPipeSize});
}

// OpenPipe has asked for it already.
void EnlargePipe(Handle) noexcept {}

// The other side must be able to write while it waits for something to read, which takes overlapped calls there too.
Ends OpenChannel() {
	return OpenNamedPipe({PIPE_ACCESS_DUPLEX, GENERIC_READ | GENERIC_WRITE, FILE_FLAG_OVERLAPPED, kChannelSize});
}

}  // namespace console::platform

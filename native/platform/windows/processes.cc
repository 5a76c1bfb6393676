// The processes of the machine, and the clock that their start times are in, on Windows.
#include <windows.h>

#include "core/platform.h"
#include "errors.h"

namespace console::platform {

namespace {

std::int64_t Microseconds(const FILETIME& time) {
	const std::uint64_t units = std::uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime;
	constexpr std::uint64_t kUnitsInMicrosecond = 10;
	// Windows counts from 1601.
	constexpr std::uint64_t kBeginOf1970 = 11644473600000000;
	return static_cast<std::int64_t>(units / kUnitsInMicrosecond - kBeginOf1970);
}

}  // namespace

std::optional<std::int64_t> StartOf(ProcessId pid) {
	const HANDLE handle = ::OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, pid);
	if (handle == nullptr) {
		// Windows says so when there is no process with this id.
		if (::GetLastError() == ERROR_INVALID_PARAMETER) return std::nullopt;
		throw LastError("OpenProcess", std::to_string(pid));
	}
	const Descriptor process(handle);
	FILETIME start{};
	FILETIME other[3];
	if (!::GetProcessTimes(handle, &start, &other[0], &other[1], &other[2])) throw LastError("GetProcessTimes");
	// It is there as long as anybody holds it open, whether it runs or not.
	if (::WaitForSingleObject(handle, 0) == WAIT_OBJECT_0) return std::nullopt;
	return Microseconds(start);
}

Moment Now() {
	FILETIME time{};
	::GetSystemTimePreciseAsFileTime(&time);
	return {Microseconds(time), 0};
}

}  // namespace console::platform

// The clock that cells are compared with on Windows.
#include <windows.h>

#include "core/platform.h"

namespace console::platform {

Moment Now() {
	FILETIME time{};
	::GetSystemTimePreciseAsFileTime(&time);
	const std::uint64_t units = std::uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime;
	constexpr std::uint64_t kUnitsInMicrosecond = 10;
	// Windows counts from 1601.
	constexpr std::uint64_t kBeginOf1970 = 11644473600000000;
	return {static_cast<std::int64_t>(units / kUnitsInMicrosecond - kBeginOf1970), 0};
}

}  // namespace console::platform

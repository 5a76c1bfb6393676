// How Windows names what the core works on.
#pragma once

namespace console {

// An open file, pipe, process, event …: a HANDLE, without the 60,000 lines of windows.h.
using Handle = void*;
inline constexpr Handle kNoHandle = nullptr;

using ProcessId = unsigned long;

}  // namespace console

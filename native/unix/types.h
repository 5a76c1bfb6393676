// How UNIX names what the core works on.
#pragma once

#include <sys/types.h>

namespace console {

// An open file: a file descriptor.
using Handle = int;
inline constexpr Handle kNoHandle = -1;

using ProcessId = pid_t;

}  // namespace console

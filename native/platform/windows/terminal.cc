// What stands for a terminal on Windows: a pipe that carries the exact bytes. A pseudo-console would rewrite them.
#include <windows.h>

#include "core/platform.h"
#include "pipes.h"

namespace console::platform {

Ends OpenTerminal() {
	constexpr DWORD kSize = 64 * 1024;
	Ends ends = OpenNamedPipe({PIPE_ACCESS_OUTBOUND, GENERIC_READ | FILE_WRITE_ATTRIBUTES, 0, kSize});
	PrepareWriting(ends.near_end.Get());
	return ends;
}

// A pipe has no modes: it is always raw.
void MakeRaw(Handle) {}

Handle Watchable(Handle terminal) {
	return WrittenEvent(terminal);
}

}  // namespace console::platform

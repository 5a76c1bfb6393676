// The two flags that every descriptor of the core is given, and its close.
#include "unix/flags.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "core/descriptor.h"
#include "core/system_error.h"

namespace console {

void SetNonBlocking(int descriptor) {
	const int flags = ::fcntl(descriptor, F_GETFL);
	if (flags < 0 || ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0) throw SystemError("fcntl", errno);
}

// An interrupted close has closed on Linux and macOS: to try again could close a descriptor of somebody else.
void platform::Close(int descriptor) noexcept {
	::close(descriptor);
}

void SetCloseOnExec(int descriptor) {
	if (::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) throw SystemError("fcntl", errno);
}

}  // namespace console

// The two flags that every descriptor of the core is given.
#include "core/flags.h"

#include <fcntl.h>

#include <cerrno>

#include "core/system_error.h"

namespace console {

void SetNonBlocking(int descriptor) {
	const int flags = ::fcntl(descriptor, F_GETFL);
	if (flags < 0 || ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0) throw SystemError("fcntl", errno);
}

void SetCloseOnExec(int descriptor) {
	if (::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) throw SystemError("fcntl", errno);
}

}  // namespace console

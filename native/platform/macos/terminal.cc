// Pseudo-terminals on macOS.
#include "unix/terminal.h"

#include <fcntl.h>
#include <stdlib.h>

#include <cerrno>

#include "core/platform.h"
#include "core/system_error.h"
#include "unix/flags.h"

namespace console::platform {

Ends OpenTerminal() {
	Descriptor master(::posix_openpt(O_RDWR | O_NOCTTY));
	if (!master) throw SystemError("posix_openpt", errno);
	SetCloseOnExec(master.Get());
	if (::grantpt(master.Get()) != 0) throw SystemError("grantpt", errno);
	if (::unlockpt(master.Get()) != 0) throw SystemError("unlockpt", errno);
	char name[128];
	if (::ptsname_r(master.Get(), name, sizeof name) != 0) throw SystemError("ptsname_r", errno);
	Descriptor slave(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
	if (!slave) throw SystemError("open", errno, name);
	MakeRaw(slave.Get());
	SetUsualSize(slave.Get());
	SetNonBlocking(master.Get());
	return {std::move(master), std::move(slave)};
}

}  // namespace console::platform

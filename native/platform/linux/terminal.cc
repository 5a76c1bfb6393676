// Pseudo-terminals on Linux.
#include "unix/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include <cerrno>

#include "core/platform.h"
#include "core/system_error.h"
#include "unix/flags.h"

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

namespace console::platform {
namespace {

// Opens the slave of `master`. TIOCGPTPEER works whatever is mounted on /dev/pts; kernels before 4.13 lack it.
Descriptor OpenSlave(int master) {
	constexpr int kFlags = O_RDWR | O_NOCTTY | O_CLOEXEC;
	Descriptor peer(::ioctl(master, TIOCGPTPEER, kFlags));
	if (peer) return peer;
	char name[64];
	if (const int error = ::ptsname_r(master, name, sizeof name)) throw SystemError("ptsname_r", error);
	Descriptor slave(::open(name, kFlags));
	if (!slave) throw SystemError("open", errno, name);
	return slave;
}

}  // namespace

Ends OpenTerminal() {
	Descriptor master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
	if (!master) throw SystemError("posix_openpt", errno);
	if (::grantpt(master.Get()) != 0) throw SystemError("grantpt", errno);
	if (::unlockpt(master.Get()) != 0) throw SystemError("unlockpt", errno);
	Descriptor slave = OpenSlave(master.Get());
	MakeRaw(slave.Get());
	SetUsualSize(slave.Get());
	SetNonBlocking(master.Get());
	return {std::move(master), std::move(slave)};
}

}  // namespace console::platform

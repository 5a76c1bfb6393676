// The launcher: the program between the server and the runtimes of one generation. docs/private-channel.md has what it
// is given and what it says.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "core/descendants.h"
#include "core/flags.h"
#include "core/generation.h"
#include "core/platform.h"
#include "core/system_error.h"
#include "launcher/launcher.h"

namespace console {
namespace {

constexpr int kTerminalNumber = 0;
constexpr int kControlNumber = 3;
constexpr int kFirstChannel = 4;
// The statuses of sysexits.h: wrong usage, and an error of the system.
constexpr int kExitUsage = 64;
constexpr int kExitSystem = 71;

// Makes the terminal the controlling one of this process's own session.
void TakeTerminal() {
	if (::getsid(0) != ::getpid() && ::setsid() < 0) throw SystemError("setsid", errno);
	if (::ioctl(kTerminalNumber, TIOCSCTTY, 0) != 0) throw SystemError("ioctl", errno, "TIOCSCTTY");
}

Descriptor Inherited(int number) {
	SetCloseOnExec(number);
	return Descriptor(number);
}

void Serve(int runtimes) {
	const int master = kFirstChannel + runtimes;
	platform::CloseFrom(master + 1);
	Descriptor control = Inherited(kControlNumber);
	std::vector<Descriptor> channels;
	for (int number = kFirstChannel; number < master; ++number) channels.push_back(Inherited(number));
	Descriptor terminal = Inherited(master);
	// No folder is kept from being removed or unmounted.
	if (::chdir("/") != 0) throw SystemError("chdir", errno, "/");
	TakeTerminal();
	platform::WakeWithoutParent();
	Launcher launcher(std::move(control), std::move(channels), std::move(terminal), platform::AdoptOrphans());
	launcher.Run();
}

}  // namespace
}  // namespace console

int main(int count, char** arguments) {
	const int runtimes = count == 2 ? std::atoi(arguments[1]) : 0;
	if (runtimes < 1 || runtimes > console::kMostRuntimes) {
		std::fputs("console-launcher is started by the Console server with the number of runtimes.\n", stderr);
		return console::kExitUsage;
	}
	try {
		console::Serve(runtimes);
		return 0;
	} catch (const std::exception& error) {
		std::fprintf(stderr, "console-launcher: %s\n", error.what());
		console::KillDescendants(::getpid());
		return console::kExitSystem;
	}
}

// The launcher: the program between the server and the runtimes of one generation. docs/private-channel.md has what it
// is given and what it says.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "core/generation.h"
#include "launcher/launcher.h"
#include "launcher/system.h"

namespace {

// The statuses of sysexits.h: wrong usage, and an error of the system.
constexpr int kExitUsage = 64;
constexpr int kExitSystem = 71;

}  // namespace

int main(int count, char** arguments) {
	const int runtimes = count == 2 ? std::atoi(arguments[1]) : 0;
	if (runtimes < 1 || runtimes > console::kMostRuntimes) {
		std::fputs("console-launcher is started by the Console server with the number of runtimes.\n", stderr);
		return kExitUsage;
	}
	try {
		console::System system(runtimes);
		console::Launcher(system, static_cast<std::size_t>(runtimes)).Run();
		return 0;
	} catch (const std::exception& error) {
		std::fprintf(stderr, "console-launcher: %s\n", error.what());
		console::KillFamily();
		return kExitSystem;
	}
}

// One generation, as the server holds it: what it talks through and the launcher that owns the processes.
#include "core/generation.h"

namespace console {

using platform::Ends;

Generation OpenGeneration(const std::string& launcher, int runtimes) {
	ReapAbandoned();
	Ends terminal = platform::OpenTerminal();
	Ends output = platform::OpenPipe();
	platform::EnlargePipe(output.far_end.Get());
	Ends control = platform::OpenChannel();
	std::vector<Ends> channels;
	for (int runtime = 0; runtime < runtimes; ++runtime) channels.push_back(platform::OpenChannel());

	// The numbers that docs/private-channel.md gives them in the launcher.
	std::vector<Handle> inherited{terminal.far_end.Get(), output.far_end.Get(), output.far_end.Get(),
	                              control.far_end.Get()};
	for (const Ends& channel : channels) inherited.push_back(channel.far_end.Get());
	inherited.push_back(platform::Watchable(terminal.near_end.Get()));

	Generation generation;
	for (Ends& channel : channels) generation.channels.push_back(std::move(channel.near_end));
	generation.launcher = platform::Spawn(launcher, {"console-launcher", std::to_string(runtimes)}, inherited);
	generation.terminal = std::move(terminal.near_end);
	generation.output = std::move(output.near_end);
	generation.control = std::move(control.near_end);
	return generation;
}

}  // namespace console

// The launcher's loop: owns the processes of one generation, signals, reaps and ends them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/descriptor.h"
#include "launcher/control.h"
#include "launcher/ending.h"
#include "launcher/family.h"
#include "launcher/runtime.h"
#include "launcher/signals.h"

namespace console {

class Launcher {
public:
	// `control` is the socket to the server, `channels` the runtimes' ends of theirs, `master` the terminal's master.
	// `adopts`: orphans among the descendants become children of this process. Throws SystemError.
	Launcher(Descriptor control, std::vector<Descriptor> channels, Descriptor master, bool adopts);

	// Runs until the generation has ended and the server was told, or cannot be told.
	void Run();

private:
	void Wait();
	void ReapChildren();
	void HandleFrames();
	void Handle(const Frame& frame);
	void StartRuntime(const Frame& frame);
	void Interrupt(const Frame& frame);
	void ReadReport(std::size_t index);
	void TellExit(std::size_t index, int status);
	void TellFailure(std::size_t index, const StartFailure& failure);
	void WatchTerminal(short happened);
	void BeginEnding(Milliseconds grace, Milliseconds term);
	void AdvanceEnding();
	void ConsiderLeaving(const Killing& round);
	void ReleaseOutput();
	std::vector<pid_t> RunningRuntimes() const;
	Runtime& RuntimeOf(const Frame& frame);

	Signals signals_;
	Control control_;
	std::vector<Runtime> runtimes_;
	Descriptor master_;
	Family family_;
	// Which events of the terminal's master the server waits for.
	short watched_ = 0;
	bool has_children_ = false;
	bool output_released_ = false;
	bool ended_ = false;
	Ending ending_;
	// In how many rounds of SIGKILLs on end nobody was left but those that refuse, and how many those are.
	int refused_rounds_ = 0;
	int left_ = 0;
};

}  // namespace console

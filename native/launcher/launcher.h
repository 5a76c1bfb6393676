// The launcher's loop: starts, signals and ends the processes of one generation as the server says.
#pragma once

#include <string>

#include "core/frames.h"
#include "launcher/ending.h"
#include "launcher/system.h"

namespace console {

class Launcher {
public:
	// Starts `runtimes` runtimes at most. `system` must outlive this.
	Launcher(System& system, std::size_t runtimes) : system_(system), runtimes_(runtimes) {}

	// Runs until the generation has ended and the server was told, or cannot be told. Throws SystemError.
	void Run();

private:
	void Wait();
	void Tell(const RuntimeNews& news);
	void HandleFrames(const News& news);
	void Handle(const Frame& frame);
	std::size_t RuntimeOf(const Frame& frame) const;
	void StartRuntime(const Frame& frame);
	void TellFailure(std::size_t runtime, const StartFailure& failure);
	void Interrupt(const Frame& frame);
	void BeginEnding(Milliseconds grace, Milliseconds term);
	void AdvanceEnding();
	void ConsiderLeaving(const System::Killing& round);
	void ReleaseOutput();
	void Send(const std::string& header);

	System& system_;
	std::size_t runtimes_;
	FrameReader reader_;
	// Nothing more will come from the server: it is gone, or cannot be understood.
	bool alone_ = false;
	bool ended_ = false;
	Ending ending_;
	// In how many rounds of killing on end nobody was left but those that refuse, and how many those are.
	int refused_rounds_ = 0;
	int left_ = 0;
};

}  // namespace console

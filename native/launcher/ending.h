// The ending of a generation: which force is due when. Pure logic over a clock that the caller reads.
#pragma once

#include <cstdint>

namespace console {

// Milliseconds of CLOCK_MONOTONIC.
using Milliseconds = std::int64_t;

class Ending {
public:
	// How long the runtimes may take to end by themselves and everything after SIGTERM, when nobody says.
	static constexpr Milliseconds kUsualGrace = 700;
	static constexpr Milliseconds kUsualTerm = 300;

	// What is due now.
	enum class Force { kNone, kTerminate, kKill };

	// Begins the ending. When one is going on already it can only become shorter.
	void Begin(Milliseconds now, Milliseconds grace, Milliseconds term);
	bool HasBegun() const noexcept { return phase_ != Phase::kNotYet; }
	// Goes on to what `now` calls for. `runtimes_left`: a runtime is still alive, so that grace makes sense.
	Force Advance(Milliseconds now, bool runtimes_left);
	// When Advance wants to be called next, at the latest; -1 when it does not.
	Milliseconds NextTime() const noexcept;

private:
	enum class Phase { kNotYet, kGrace, kTerm, kKill };

	Force KillAgain(Milliseconds now);

	Phase phase_ = Phase::kNotYet;
	// When the present phase is over, or, in the last one, when to kill again.
	Milliseconds until_ = 0;
	Milliseconds term_ = 0;
	Milliseconds pause_ = 1;
};

}  // namespace console

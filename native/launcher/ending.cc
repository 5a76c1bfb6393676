// The ending of a generation: which force is due when.
#include "launcher/ending.h"

#include <algorithm>

namespace console {

void Ending::Begin(Milliseconds now, Milliseconds grace, Milliseconds term) {
	switch (phase_) {
		case Phase::kNotYet:
			phase_ = Phase::kGrace;
			until_ = now + grace;
			term_ = term;
			break;
		case Phase::kGrace:
			until_ = std::min(until_, now + grace);
			term_ = std::min(term_, term);
			break;
		case Phase::kTerm:
			until_ = std::min(until_, now + grace + term);
			break;
		case Phase::kKill:
			break;
	}
}

Ending::Force Ending::Advance(Milliseconds now, bool runtimes_left) {
	switch (phase_) {
		case Phase::kNotYet:
			return Force::kNone;
		case Phase::kGrace:
			if (runtimes_left && now < until_) return Force::kNone;
			if (term_ == 0) return KillAgain(now);
			phase_ = Phase::kTerm;
			until_ = now + term_;
			return Force::kTerminate;
		case Phase::kTerm:
		case Phase::kKill:
			return now < until_ ? Force::kNone : KillAgain(now);
	}
	return Force::kNone;
}

// What was forked while the last round went on is found by the next. The pauses grow, for a process that takes
// its time (one that waits for a device) must not cost CPU.
Ending::Force Ending::KillAgain(Milliseconds now) {
	constexpr Milliseconds kLongestPause = 1000;
	phase_ = Phase::kKill;
	until_ = now + pause_;
	pause_ = std::min(pause_ * 2, kLongestPause);
	return Force::kKill;
}

Milliseconds Ending::NextTime() const noexcept {
	return phase_ == Phase::kNotYet ? -1 : until_;
}

}  // namespace console

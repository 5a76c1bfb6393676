// The launcher's loop: starts, signals and ends the processes of one generation as the server says.
#include "launcher/launcher.h"

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace console {
namespace {

// How long the last words to a server that does not read may take.
constexpr Milliseconds kFarewell = 1000;
// Fits into what the systems take; the loop comes round and waits again.
constexpr Milliseconds kLongestWait = 3600000;

Milliseconds Now() {
	const auto time = std::chrono::steady_clock::now().time_since_epoch();
	return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

}  // namespace

void Launcher::Run() {
	while (!ended_) {
		Wait();
		AdvanceEnding();
	}
	Send(left_ == 0 ? "ended" : "ended left=" + std::to_string(left_));
	// Stays until the server has closed its end. A word of the server that is on its way now would otherwise fail to be
	// written, and a write that fails costs the server what it has not read yet: our last words.
	const Milliseconds latest = Now() + kFarewell;
	for (Milliseconds now = Now(); !alone_ && now < latest; now = Now()) alone_ = system_.Wait(latest - now).hung_up;
}

// Waits for the next thing to do, and does it.
void Launcher::Wait() {
	const Milliseconds next = ending_.NextTime();
	const News news = system_.Wait(next < 0 ? -1 : std::clamp<Milliseconds>(next - Now(), 0, kLongestWait));
	if (news.told_to_end) BeginEnding(Ending::kUsualGrace, Ending::kUsualTerm);
	for (const RuntimeNews& runtime : news.runtimes) Tell(runtime);
	HandleFrames(news);
	if (news.readable) Send("readable");
	if (news.writable) Send("writable");
}

void Launcher::Tell(const RuntimeNews& news) {
	const std::string runtime = std::to_string(news.runtime);
	switch (news.kind) {
		case RuntimeNews::Kind::kStarted:
			return Send("started runtime=" + runtime + " pid=" + std::to_string(news.pid));
		case RuntimeNews::Kind::kFailed:
			return TellFailure(news.runtime, news.failure);
		case RuntimeNews::Kind::kExited:
			Send("exited runtime=" + runtime + (news.exit.signalled ? " signal=" : " code=") +
			     std::to_string(news.exit.value));
			BeginEnding(0, Ending::kUsualTerm);
	}
}

void Launcher::HandleFrames(const News& news) {
	if (alone_) return;
	reader_.Push(news.received);
	try {
		while (const std::optional<Frame> frame = reader_.Next()) Handle(*frame);
		alone_ = news.hung_up;
	} catch (const FrameError&) {
		system_.Deafen();
		alone_ = true;
	}
	if (alone_) BeginEnding(Ending::kUsualGrace, Ending::kUsualTerm);
}

void Launcher::Handle(const Frame& frame) {
	if (frame.verb == "start") {
		StartRuntime(frame);
	} else if (frame.verb == "interrupt") {
		Interrupt(frame);
	} else if (frame.verb == "watch") {
		system_.Watch(frame.Number("read") != 0, frame.Number("write") != 0);
	} else if (frame.verb == "end") {
		BeginEnding(frame.Number("grace"), frame.Number("term"));
	} else {
		throw FrameError("an unknown verb");
	}
}

std::size_t Launcher::RuntimeOf(const Frame& frame) const {
	const auto runtime = static_cast<std::size_t>(frame.Number("runtime"));
	if (runtime >= runtimes_) throw FrameError("a runtime without a channel");
	return runtime;
}

void Launcher::StartRuntime(const Frame& frame) {
	const std::size_t runtime = RuntimeOf(frame);
	if (system_.WasStarted(runtime)) throw FrameError("a runtime that was started already");
	const StartRequest request = ParseStartRequest(frame.body);
	const std::optional<StartFailure> failure =
	    ending_.HasBegun() ? StartFailure{"fork", ECANCELED} : system_.Start(runtime, request);
	if (failure) TellFailure(runtime, *failure);
}

void Launcher::TellFailure(std::size_t runtime, const StartFailure& failure) {
	Send("failed runtime=" + std::to_string(runtime) + " errno=" + std::to_string(failure.error) +
	     " step=" + failure.step);
}

void Launcher::Interrupt(const Frame& frame) {
	const platform::Moment moment{frame.Number("ticks"), static_cast<ProcessId>(frame.Number("lastpid"))};
	const System::Interruption done = system_.Interrupt(RuntimeOf(frame), moment);
	Send("interrupted id=" + std::to_string(frame.Number("id")) + " signalled=" + std::to_string(done.signalled) +
	     " errno=" + std::to_string(done.error));
}

void Launcher::BeginEnding(Milliseconds grace, Milliseconds term) {
	ending_.Begin(Now(), grace, term);
}

void Launcher::AdvanceEnding() {
	ReleaseOutput();
	if (!ending_.HasBegun()) return;
	ended_ = system_.IsGone();
	if (ended_) return;
	switch (ending_.Advance(Now(), system_.HasRuntimes())) {
		case Ending::Force::kNone:
			break;
		case Ending::Force::kTerminate:
			system_.Terminate();
			break;
		case Ending::Force::kKill:
			ConsiderLeaving(system_.Kill());
			break;
	}
}

// What runs as another user (through sudo, say) cannot be signalled. When nothing else has been left for a while, the
// launcher leaves: the exit of a session's leader is the one thing that hangs up on such a process too.
void Launcher::ConsiderLeaving(const System::Killing& round) {
	constexpr int kRounds = 8;
	refused_rounds_ = round.taken == 0 && round.refused > 0 ? refused_rounds_ + 1 : 0;
	if (refused_rounds_ < kRounds) return;
	left_ = round.refused;
	ended_ = true;
}

// The launcher needs the output only to give it to runtimes.
void Launcher::ReleaseOutput() {
	bool needed = false;
	for (std::size_t runtime = 0; runtime < runtimes_; ++runtime) needed = needed || !system_.WasStarted(runtime);
	if (!needed || ending_.HasBegun()) system_.ReleaseOutput();
}

void Launcher::Send(const std::string& header) {
	system_.Send(EncodeFrame(header));
}

}  // namespace console

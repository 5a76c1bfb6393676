// The launcher's loop: owns the processes of one generation, signals, reaps and ends them.
#include "launcher/launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/platform.h"

namespace console {
namespace {

// How long the last words to a server that does not read may take.
constexpr Milliseconds kFarewell = 1000;
// Fits into what poll takes; the loop comes round and waits again.
constexpr Milliseconds kLongestWait = 3600000;

Milliseconds Now() {
	timespec time{};
	::clock_gettime(CLOCK_MONOTONIC, &time);
	return static_cast<Milliseconds>(time.tv_sec) * 1000 + time.tv_nsec / 1000000;
}

}  // namespace

Launcher::Launcher(Descriptor control, std::vector<Descriptor> channels, Descriptor master, bool adopts)
    : control_(std::move(control)), master_(std::move(master)), family_(::getpid(), adopts) {
	for (Descriptor& channel : channels) runtimes_.emplace_back(std::move(channel));
}

void Launcher::Run() {
	while (!ended_) {
		Wait();
		AdvanceEnding();
	}
	control_.Send(left_ == 0 ? "ended" : "ended left=" + std::to_string(left_));
	// Stays until the server has closed its end. A word of the server that is on its way now would otherwise fail to be
	// written, and a write that fails costs the server what it has not read yet: our last words.
	const Milliseconds latest = Now() + kFarewell;
	while (!control_.HasEnded() && Now() < latest) {
		std::vector<pollfd> states{{control_.Get(), control_.Interest(), 0}};
		platform::Poll(states, static_cast<int>(latest - Now()));
		control_.Flush();
		control_.Read();
		while (control_.Next()) continue;
	}
}

// Waits for the next thing to do, and does it. The order matters: an exit that has happened is told before what the
// server asks next is answered.
void Launcher::Wait() {
	std::vector<pollfd> states{{signals_.Wakeup(), POLLIN, 0},
	                           {control_.Interest() == 0 ? -1 : control_.Get(), control_.Interest(), 0},
	                           {watched_ == 0 ? -1 : master_.Get(), watched_, 0}};
	for (const Runtime& runtime : runtimes_) states.push_back({runtime.Report(), POLLIN, 0});
	const Milliseconds next = ending_.NextTime();
	const Milliseconds timeout = next < 0 ? -1 : std::clamp<Milliseconds>(next - Now(), 0, kLongestWait);
	if (!platform::Poll(states, static_cast<int>(timeout))) return;
	if (states[0].revents != 0) {
		if (signals_.Take()) BeginEnding(Ending::kUsualGrace, Ending::kUsualTerm);
		ReapChildren();
	}
	for (std::size_t index = 0; index < runtimes_.size(); ++index) {
		if (states[index + 3].revents != 0) ReadReport(index);
	}
	if ((states[1].revents & POLLOUT) != 0) control_.Flush();
	if ((states[1].revents & ~POLLOUT) != 0) HandleFrames();
	if (states[2].revents != 0) WatchTerminal(states[2].revents);
}

void Launcher::ReapChildren() {
	for (;;) {
		int status = 0;
		const pid_t pid = ::waitpid(-1, &status, WNOHANG);
		if (pid < 0 && errno == EINTR) continue;
		has_children_ = pid == 0;
		if (pid <= 0) return;
		for (std::size_t index = 0; index < runtimes_.size(); ++index) {
			if (runtimes_[index].Pid() == pid) TellExit(index, status);
		}
	}
}

void Launcher::TellExit(std::size_t index, int status) {
	// Whether it was executed comes first. It is dead, so all it had to say is in the pipe.
	ReadReport(index);
	const bool was_executed = runtimes_[index].WasExecuted();
	runtimes_[index].Reaped();
	if (!was_executed) return;
	const std::string how = WIFSIGNALED(status) ? " signal=" + std::to_string(WTERMSIG(status))
	                                            : " code=" + std::to_string(WEXITSTATUS(status));
	control_.Send("exited runtime=" + std::to_string(index) + how);
	BeginEnding(0, Ending::kUsualTerm);
}

void Launcher::HandleFrames() {
	control_.Read();
	while (!control_.HasEnded()) {
		const std::optional<Frame> frame = control_.Next();
		if (!frame) break;
		try {
			Handle(*frame);
		} catch (const FrameError&) {
			control_.GiveUp();
		}
	}
	if (control_.HasEnded()) BeginEnding(Ending::kUsualGrace, Ending::kUsualTerm);
}

void Launcher::Handle(const Frame& frame) {
	if (frame.verb == "start") {
		StartRuntime(frame);
	} else if (frame.verb == "interrupt") {
		Interrupt(frame);
	} else if (frame.verb == "watch") {
		if (frame.Number("read") != 0) watched_ |= POLLIN;
		if (frame.Number("write") != 0) watched_ |= POLLOUT;
	} else if (frame.verb == "end") {
		BeginEnding(frame.Number("grace"), frame.Number("term"));
	} else {
		throw FrameError("an unknown verb");
	}
}

Runtime& Launcher::RuntimeOf(const Frame& frame) {
	const auto index = static_cast<std::size_t>(frame.Number("runtime"));
	if (index >= runtimes_.size()) throw FrameError("a runtime without a channel");
	return runtimes_[index];
}

void Launcher::StartRuntime(const Frame& frame) {
	Runtime& runtime = RuntimeOf(frame);
	if (runtime.WasStarted()) throw FrameError("a runtime that was started already");
	const StartRequest request = ParseStartRequest(frame.body);
	const std::optional<StartFailure> failure =
	    ending_.HasBegun() ? StartFailure{"fork", ECANCELED} : runtime.Start(request);
	has_children_ = has_children_ || runtime.Pid() != 0;
	if (failure) TellFailure(static_cast<std::size_t>(frame.Number("runtime")), *failure);
}

void Launcher::TellFailure(std::size_t index, const StartFailure& failure) {
	control_.Send("failed runtime=" + std::to_string(index) + " errno=" + std::to_string(failure.error) +
	              " step=" + failure.step);
}

void Launcher::ReadReport(std::size_t index) {
	Runtime& runtime = runtimes_[index];
	if (runtime.Report() < 0) return;
	StartFailure failure{};
	switch (runtime.TakeReport(failure)) {
		case Runtime::Outcome::kPending:
			break;
		case Runtime::Outcome::kExecuted:
			control_.Send("started runtime=" + std::to_string(index) + " pid=" + std::to_string(runtime.Pid()));
			break;
		case Runtime::Outcome::kFailed:
			TellFailure(index, failure);
			break;
	}
}

void Launcher::Interrupt(const Frame& frame) {
	const platform::Moment moment{frame.Number("ticks"), static_cast<pid_t>(frame.Number("lastpid"))};
	const Family::Interruption done = family_.Interrupt(RuntimeOf(frame).Pid(), RunningRuntimes(), moment);
	control_.Send("interrupted id=" + std::to_string(frame.Number("id")) +
	              " signalled=" + std::to_string(done.signalled) + " errno=" + std::to_string(done.error));
}

void Launcher::WatchTerminal(short happened) {
	const bool broken = (happened & ~(POLLIN | POLLOUT)) != 0;
	const short told = static_cast<short>(broken ? watched_ : watched_ & happened);
	if ((told & POLLIN) != 0) control_.Send("readable");
	if ((told & POLLOUT) != 0) control_.Send("writable");
	watched_ = static_cast<short>(watched_ & ~told);
}

void Launcher::BeginEnding(Milliseconds grace, Milliseconds term) {
	ending_.Begin(Now(), grace, term);
}

void Launcher::AdvanceEnding() {
	ReleaseOutput();
	if (!ending_.HasBegun()) return;
	ended_ = family_.IsGone(has_children_);
	if (ended_) return;
	switch (ending_.Advance(Now(), !RunningRuntimes().empty())) {
		case Ending::Force::kNone:
			break;
		case Ending::Force::kTerminate:
			family_.Terminate(RunningRuntimes());
			break;
		case Ending::Force::kKill:
			ConsiderLeaving(family_.Kill(RunningRuntimes()));
			break;
	}
}

// What runs as another user (through sudo, say) cannot be signalled. When nothing else has been left for a while, the
// launcher leaves: the exit of a session's leader is the one thing that hangs up on such a process too.
void Launcher::ConsiderLeaving(const Killing& round) {
	constexpr int kRounds = 8;
	refused_rounds_ = round.taken == 0 && round.refused > 0 ? refused_rounds_ + 1 : 0;
	if (refused_rounds_ < kRounds) return;
	left_ = round.refused;
	ended_ = true;
}

std::vector<pid_t> Launcher::RunningRuntimes() const {
	std::vector<pid_t> running;
	for (const Runtime& runtime : runtimes_) {
		if (runtime.Pid() != 0) running.push_back(runtime.Pid());
	}
	return running;
}

// The launcher needs the pipe of the output only to give it to runtimes. Afterwards it lets go, so that end of file on
// it means that nobody writes any more.
void Launcher::ReleaseOutput() {
	const auto was_started = [](const Runtime& runtime) { return runtime.WasStarted(); };
	const bool needed = !ending_.HasBegun() && !std::all_of(runtimes_.begin(), runtimes_.end(), was_started);
	if (output_released_ || needed) return;
	const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
	if (!nothing) return;
	::dup2(nothing.Get(), STDOUT_FILENO);
	::dup2(nothing.Get(), STDERR_FILENO);
	output_released_ = true;
}

}  // namespace console

// The launcher's side of the platform layer on UNIX: signals, poll, fork and wait.
#include "launcher/system.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

#include "core/system_error.h"
#include "unix/control.h"
#include "unix/descendants.h"
#include "unix/family.h"
#include "unix/flags.h"
#include "unix/platform.h"
#include "unix/runtime.h"
#include "unix/signals.h"

namespace console {
namespace {

constexpr int kTerminalNumber = 0;
constexpr int kControlNumber = 3;
constexpr int kFirstChannel = 4;

// Makes the terminal the controlling one of this process's own session.
void TakeTerminal() {
	if (::getsid(0) != ::getpid() && ::setsid() < 0) throw SystemError("setsid", errno);
	if (::ioctl(kTerminalNumber, TIOCSCTTY, 0) != 0) throw SystemError("ioctl", errno, "TIOCSCTTY");
}

Descriptor Inherited(int number) {
	SetCloseOnExec(number);
	return Descriptor(number);
}

std::vector<Runtime> InheritedRuntimes(int count) {
	std::vector<Runtime> runtimes;
	for (int runtime = 0; runtime < count; ++runtime) runtimes.emplace_back(Inherited(kFirstChannel + runtime));
	return runtimes;
}

// Returns whether orphans among the descendants become children of this process.
bool Settle(int last_number) {
	platform::CloseFrom(last_number + 1);
	// No folder is kept from being removed or unmounted.
	if (::chdir("/") != 0) throw SystemError("chdir", errno, "/");
	TakeTerminal();
	platform::WakeWithoutParent();
	return platform::AdoptOrphans();
}

}  // namespace

struct System::Parts {
	explicit Parts(int count)
	    : family(::getpid(), Settle(kFirstChannel + count)),
	      control(Inherited(kControlNumber)),
	      runtimes(InheritedRuntimes(count)),
	      master(Inherited(kFirstChannel + count)) {}

	void ReapChildren(News& news);
	void ReadReport(std::size_t index, News& news);
	void LookAtTerminal(short happened, News& news);
	std::vector<pid_t> Running() const;

	// The first, so that nothing else is taken over in a process that has more than it should.
	Family family;
	Signals signals;
	Control control;
	std::vector<Runtime> runtimes;
	Descriptor master;
	// Which events of the terminal's master the server waits for.
	short watched = 0;
	bool has_children = false;
	bool output_released = false;
};

System::System(int runtimes) : parts_(std::make_unique<Parts>(runtimes)) {}

System::~System() = default;

News System::Wait(Milliseconds timeout) {
	News news;
	Parts& parts = *parts_;
	std::vector<pollfd> states{{parts.signals.Wakeup(), POLLIN, 0},
	                           {parts.control.Interest() == 0 ? -1 : parts.control.Get(), parts.control.Interest(), 0},
	                           {parts.watched == 0 ? -1 : parts.master.Get(), parts.watched, 0}};
	for (const Runtime& runtime : parts.runtimes) states.push_back({runtime.Report(), POLLIN, 0});
	if (!platform::Poll(states, static_cast<int>(timeout))) return news;
	if (states[0].revents != 0) {
		news.told_to_end = parts.signals.Take();
		parts.ReapChildren(news);
	}
	for (std::size_t index = 0; index < parts.runtimes.size(); ++index) {
		if (states[index + 3].revents != 0) parts.ReadReport(index, news);
	}
	if ((states[1].revents & POLLOUT) != 0) parts.control.Flush();
	if ((states[1].revents & ~POLLOUT) != 0) parts.control.Read(news.received);
	news.hung_up = parts.control.HasEnded();
	if (states[2].revents != 0) parts.LookAtTerminal(states[2].revents, news);
	return news;
}

void System::Send(std::string_view bytes) {
	parts_->control.Send(bytes);
}

void System::Deafen() noexcept {
	parts_->control.GiveUp();
}

void System::Watch(bool read, bool write) {
	parts_->watched = static_cast<short>(parts_->watched | (read ? POLLIN : 0) | (write ? POLLOUT : 0));
}

void System::ReleaseOutput() noexcept {
	if (parts_->output_released) return;
	const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
	if (!nothing) return;
	::dup2(nothing.Get(), STDOUT_FILENO);
	::dup2(nothing.Get(), STDERR_FILENO);
	parts_->output_released = true;
}

std::optional<StartFailure> System::Start(std::size_t runtime, const StartRequest& request) {
	const std::optional<StartFailure> failure = parts_->runtimes[runtime].Start(request);
	parts_->has_children = parts_->has_children || parts_->runtimes[runtime].Pid() != 0;
	return failure;
}

bool System::WasStarted(std::size_t runtime) const noexcept {
	return parts_->runtimes[runtime].WasStarted();
}

bool System::HasRuntimes() const noexcept {
	return !parts_->Running().empty();
}

System::Interruption System::Interrupt(std::size_t runtime, const platform::Moment& moment) {
	return parts_->family.Interrupt(parts_->runtimes[runtime].Pid(), parts_->Running(), moment);
}

void System::Terminate() {
	parts_->family.Terminate(parts_->Running());
}

System::Killing System::Kill() {
	const console::Killing round = parts_->family.Kill(parts_->Running());
	return {round.taken, round.refused};
}

bool System::IsGone() {
	return parts_->family.IsGone(parts_->has_children);
}

void System::Parts::ReapChildren(News& news) {
	for (;;) {
		int status = 0;
		const pid_t pid = ::waitpid(-1, &status, WNOHANG);
		if (pid < 0 && errno == EINTR) continue;
		has_children = pid == 0;
		if (pid <= 0) return;
		for (std::size_t index = 0; index < runtimes.size(); ++index) {
			Runtime& runtime = runtimes[index];
			if (runtime.Pid() != pid) continue;
			// Whether it was executed comes first. It is dead, so all it had to say is in the pipe.
			ReadReport(index, news);
			runtime.Reaped();
			if (!runtime.WasExecuted()) continue;
			const ExitStatus exit =
			    WIFSIGNALED(status) ? ExitStatus{true, WTERMSIG(status)} : ExitStatus{false, WEXITSTATUS(status)};
			news.runtimes.push_back({index, RuntimeNews::Kind::kExited, pid, {}, exit});
		}
	}
}

void System::Parts::ReadReport(std::size_t index, News& news) {
	Runtime& runtime = runtimes[index];
	if (runtime.Report() < 0) return;
	StartFailure failure{};
	switch (runtime.TakeReport(failure)) {
		case Runtime::Outcome::kPending:
			break;
		case Runtime::Outcome::kExecuted:
			news.runtimes.push_back({index, RuntimeNews::Kind::kStarted, runtime.Pid(), {}, {}});
			break;
		case Runtime::Outcome::kFailed:
			news.runtimes.push_back({index, RuntimeNews::Kind::kFailed, 0, failure, {}});
			break;
	}
}

void System::Parts::LookAtTerminal(short happened, News& news) {
	const bool broken = (happened & ~(POLLIN | POLLOUT)) != 0;
	const short told = static_cast<short>(broken ? watched : watched & happened);
	news.readable = (told & POLLIN) != 0;
	news.writable = (told & POLLOUT) != 0;
	watched = static_cast<short>(watched & ~told);
}

std::vector<pid_t> System::Parts::Running() const {
	std::vector<pid_t> running;
	for (const Runtime& runtime : runtimes) {
		if (runtime.Pid() != 0) running.push_back(runtime.Pid());
	}
	return running;
}

void KillFamily() noexcept {
	KillDescendants(::getpid());
}

}  // namespace console

// One runtime process, from the fork to its exit.
#include "unix/runtime.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "core/system_error.h"
#include "core/transfer.h"
#include "unix/platform.h"

extern char** environ;

namespace console {
namespace {

constexpr const char* kSteps[] = {"terminal", "chdir", "exec"};
enum Step { kTerminal, kChdir, kExec };

// What a process that could not be executed writes before it exits.
struct Message {
	int step;
	int error;
};

constexpr int kTerminalNumber = 0;
constexpr int kChannelNumber = 3;
constexpr int kReportNumber = 4;

[[noreturn]] void Fail(Step step) {
	const Message message{step, errno};
	static_cast<void>(!::write(kReportNumber, &message, sizeof message));
	::_exit(127);
}

// The numbers that docs/private-channel.md gives them in the runtime. Nothing else survives the exec.
void PlaceDescriptors(int channel, int report) {
	::dup2(channel, kChannelNumber);
	if (report != kReportNumber) ::dup2(report, kReportNumber);
	::fcntl(kReportNumber, F_SETFD, FD_CLOEXEC);
	platform::CloseFrom(kReportNumber + 1);
}

// A group of its own in the foreground of the terminal. SIGTTOU is still ignored here, as tcsetpgrp from a background
// group needs.
void TakeForeground() {
	if (::setpgid(0, 0) != 0 || ::tcsetpgrp(kTerminalNumber, ::getpid()) != 0) Fail(kTerminal);
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
	std::vector<char*> pointers;
	for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
	pointers.push_back(nullptr);
	return pointers;
}

// The child's side of the fork. The launcher has one thread, so everything may be called here.
[[noreturn]] void Become(const StartRequest& request, pid_t launcher, int channel, int report) {
	PlaceDescriptors(channel, report);
	platform::DieWithParent(launcher);
	TakeForeground();
	platform::ResetSignals();
	if (::chdir(request.folder.c_str()) != 0) Fail(kChdir);
	const std::vector<char*> arguments = Pointers(request.arguments);
	std::vector<char*> environment = Pointers(request.environment);
	// execvp looks the program up in the PATH of `environ`, as a shell of that environment would.
	environ = environment.data();
	::execvp(arguments[0], arguments.data());
	Fail(kExec);
}

}  // namespace

std::optional<StartFailure> Runtime::Start(const StartRequest& request) {
	started_ = true;
	try {
		platform::Ends report = platform::OpenPipe();
		const pid_t launcher = ::getpid();
		const pid_t pid = ::fork();
		if (pid < 0) return StartFailure{"fork", errno};
		if (pid == 0) Become(request, launcher, channel_.Get(), report.far_end.Get());
		pid_ = pid;
		report_ = std::move(report.near_end);
		channel_ = Descriptor();
		return std::nullopt;
	} catch (const SystemError& error) {
		return StartFailure{"fork", error.Number()};
	}
}

Runtime::Outcome Runtime::TakeReport(StartFailure& failure) {
	Message message{};
	const long count = ReadNow(report_.Get(), &message, sizeof message);
	if (count == 0) return Outcome::kPending;
	report_ = Descriptor();
	executed_ = count < static_cast<long>(sizeof message);
	if (executed_) return Outcome::kExecuted;
	failure = {kSteps[message.step], message.error};
	return Outcome::kFailed;
}

}  // namespace console

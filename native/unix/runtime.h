// One runtime process, from the fork to its exit.
#pragma once

#include <sys/types.h>

#include <optional>

#include "core/descriptor.h"
#include "launcher/start_request.h"

namespace console {

class Runtime {
public:
	// The runtime's end of its private channel; it is given away by Start.
	explicit Runtime(Descriptor channel) : channel_(std::move(channel)) {}

	// Forks the process. It goes on towards its exec by itself; its report comes through Report(). Only once.
	// Returns the failure when not even the fork worked.
	std::optional<StartFailure> Start(const StartRequest& request);
	// Where the process tells how its exec went; none when that is known already.
	int Report() const noexcept { return report_.Get(); }

	enum class Outcome { kPending, kExecuted, kFailed };
	// Looks at the report without waiting. `failure` is set when the outcome is kFailed.
	Outcome TakeReport(StartFailure& failure);

	// Start was called.
	bool WasStarted() const noexcept { return started_; }
	// The program runs, or ran: its report said so.
	bool WasExecuted() const noexcept { return executed_; }
	// The process id; 0 before the fork and after the process was reaped.
	pid_t Pid() const noexcept { return pid_; }
	void Reaped() noexcept { pid_ = 0; }

private:
	Descriptor channel_;
	Descriptor report_;
	pid_t pid_ = 0;
	bool started_ = false;
	bool executed_ = false;
};

}  // namespace console

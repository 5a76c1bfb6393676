// One runtime process.
#pragma once

#include <optional>

#include "core/platform.h"
#include "job.h"
#include "launcher/start_request.h"

namespace console {

class Runtime {
public:
	// The runtime's end of its private channel; it is given away by Start.
	explicit Runtime(Descriptor channel) : channel_(std::move(channel)) {}
	Runtime(Runtime&& other) noexcept = default;
	~Runtime();

	// Starts the process in `job`; its first three descriptors are `standard`. `port` is told under `key`, with `index`
	// for the number of bytes, when it has exited. Only once. Returns the failure when it was not executed.
	std::optional<StartFailure> Start(const StartRequest& request, const std::vector<Handle>& standard, const Job& job,
	                                  Handle port, std::size_t key, std::size_t index);

	// Start was called.
	bool WasStarted() const noexcept { return started_; }
	// The process id; 0 before the start and after the process was reaped.
	ProcessId Pid() const noexcept { return pid_; }
	// How the process has exited, which is told once. Throws SystemError.
	ExitStatus Reap();

private:
	void Execute(const StartRequest& request, const std::vector<Handle>& standard, const Job& job);

	Descriptor channel_;
	Descriptor process_;
	ProcessId pid_ = 0;
	Handle wait_ = kNoHandle;
	bool started_ = false;
};

}  // namespace console

// The launcher's side of the platform layer: its conversation with the server, the processes that it owns, and the wait
// for news of either. system.cc of native/unix and of native/platform/windows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/platform.h"
#include "launcher/ending.h"
#include "launcher/start_request.h"

namespace console {

// What has become of a runtime.
struct RuntimeNews {
	enum class Kind { kStarted, kFailed, kExited };

	std::size_t runtime;
	Kind kind;
	// kStarted: its process id.
	ProcessId pid;
	// kFailed: why the program was not executed.
	StartFailure failure;
	// kExited.
	ExitStatus exit;
};

// What has happened, in the order in which it is to be handled: an exit is told before what the server asks next is
// answered.
struct News {
	// Somebody has asked this process to end.
	bool told_to_end = false;
	std::vector<RuntimeNews> runtimes;
	// What the server has said.
	std::string received;
	// The server will say no more.
	bool hung_up = false;
	// What was watched for.
	bool readable = false;
	bool writable = false;
};

class System {
public:
	// Takes over what the server has given to this process: docs/private-channel.md has the numbers. The environment of
	// this process is left clean of everything else. Throws SystemError.
	explicit System(int runtimes);
	~System();

	// Waits for news, for `timeout` at most (-1: for ever). There may be none. Throws SystemError.
	News Wait(Milliseconds timeout);

	// Sends bytes to the server now or, when it does not read, later. Nothing when it is gone.
	void Send(std::string_view bytes);
	// Listens to the server no more: it cannot be understood.
	void Deafen() noexcept;
	// Tells once when the server's end of the terminal can be read or written. `false` leaves an earlier wish as it
	// was.
	void Watch(bool read, bool write);
	// Lets go of the output, so that its end of file means that nobody writes any more. May be called again.
	void ReleaseOutput() noexcept;

	// Starts a runtime. Whether it was executed is news, unless the failure is returned at once. Only once for each.
	std::optional<StartFailure> Start(std::size_t runtime, const StartRequest& request);
	bool WasStarted(std::size_t runtime) const noexcept;
	// Whether a runtime runs.
	bool HasRuntimes() const noexcept;

	struct Interruption {
		// How many processes were signalled.
		int signalled;
		// 0, or the errno that says why the runtime could not be signalled.
		int error;
	};
	// Interrupts a runtime and the processes that began after `moment`, but no other runtime, as far as the system can
	// tell them apart.
	Interruption Interrupt(std::size_t runtime, const platform::Moment& moment);

	// What came of a round of killing.
	struct Killing {
		// How many processes took it. One that was killed before and is still there counts again.
		int taken;
		// How many the system did not let us kill, because they run as another user.
		int refused;
	};
	// Asks every process to end.
	void Terminate();
	// Kills every process that is seen now. What is started meanwhile is left for the next time.
	Killing Kill();
	// Whether no process is left.
	bool IsGone();

private:
	struct Parts;
	std::unique_ptr<Parts> parts_;
};

// Kills everything that descends from this process, which cannot go on. Never fails.
void KillFamily() noexcept;

}  // namespace console

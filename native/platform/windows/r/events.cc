// What R has to serve on Windows are the messages of its windows, of Tcl, and of packages that have a hidden one.
#include "r/events.h"

#include <windows.h>

#include "r/interrupts.h"
#include "r/wake.h"

namespace console::r {
namespace {

// Whether Input::Take would find something, the end of the pipe included.
bool HasBytes(const Input& input) {
	DWORD count = 0;
	return !::PeekNamedPipe(input.Get(), nullptr, 0, nullptr, &count, nullptr) || count > 0;
}

}  // namespace

struct Events::Parts {
	explicit Parts(const Library& library) { library.LookUp("R_ProcessEvents", process_events); }

	void (*process_events)();
};

Events::Events(const Library& library) : parts_(std::make_unique<Parts>(library)) {}

Events::~Events() = default;

// Nothing of Windows waits for a pipe that others read as well: the server says on the channel when it has sent input.
unsigned Events::Wait(const ChannelEnd& channel, const Input* input, int timeout) const {
	const bool has_bytes = input != nullptr && HasBytes(*input);
	const HANDLE handles[] = {channel.Readable(), interrupts::WakeEvent()};
	const DWORD patience = has_bytes ? 0 : timeout == kForEver ? INFINITE : static_cast<DWORD>(timeout);
	const DWORD found = ::MsgWaitForMultipleObjectsEx(2, handles, patience, QS_ALLINPUT, MWMO_INPUTAVAILABLE);
	unsigned ready = 0;
	if (input != nullptr && HasBytes(*input)) ready |= kInput;
	if (found == WAIT_OBJECT_0) ready |= kChannel;
	if (found == WAIT_OBJECT_0 + 1) interrupts::DrainWake();
	if (found == WAIT_OBJECT_0 + 2) ready |= kHandlers;
	return ready;
}

// An interrupt that has come is for what runs, and not for whatever R does here: R would take it up before all else.
void Events::RunHandlers() const {
	if (interrupts::IsPending()) return;
	parts_->process_events();
}

}  // namespace console::r

#include "r/events.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <vector>

#include "unix/r/wake.h"

namespace console::r {
namespace {

constexpr int kMicrosecondsInMillisecond = 1000;

// What runs when a descriptor can be read while R waits for its user: a list that packages add to.
struct InputHandler {
	int activity;
	int descriptor;
	void (*handler)(void*);
	InputHandler* next;
	void* data;
};

bool IsOpenDescriptor(int descriptor) {
	return descriptor > 0 && ::fcntl(descriptor, F_GETFD) >= 0;
}

}  // namespace

struct Events::Parts {
	explicit Parts(const Library& library) {
		library.LookUp("R_InputHandlers", input_handlers);
		library.LookUp("R_PolledEvents", polled_events);
		library.LookUp("R_wait_usec", polling_interval);
	}

	InputHandler** input_handlers;
	void (**polled_events)();
	int* polling_interval;
};

Events::Events(const Library& library) : parts_(std::make_unique<Parts>(library)) {}

Events::~Events() = default;

unsigned Events::Wait(const ChannelEnd& channel, const Input* input, int timeout) const {
	std::vector<pollfd> states{{channel.Readable(), POLLIN, 0}, {interrupts::WakeDescriptor(), POLLIN, 0}};
	if (input != nullptr) states.push_back({input->Get(), POLLIN, 0});
	const std::size_t own = states.size();
	for (const InputHandler* handler = *parts_->input_handlers; handler != nullptr; handler = handler->next) {
		if (IsOpenDescriptor(handler->descriptor)) states.push_back({handler->descriptor, POLLIN, 0});
	}
	const int interval = *parts_->polling_interval / kMicrosecondsInMillisecond;
	const bool polling = interval > 0 && (timeout == kForEver || interval < timeout);
	const int count = ::poll(states.data(), static_cast<nfds_t>(states.size()), polling ? interval : timeout);
	if (states[1].revents != 0) interrupts::DrainWake();
	if (count < 0) return 0;
	const bool watched = std::any_of(states.begin() + static_cast<std::ptrdiff_t>(own), states.end(),
	                                 [](const pollfd& state) { return state.revents != 0; });
	unsigned ready = 0;
	if (states[0].revents != 0) ready |= kChannel;
	if (input != nullptr && states[2].revents != 0) ready |= kInput;
	if (watched || polling) ready |= kHandlers;
	return ready;
}

void Events::RunHandlers() const {
	if (*parts_->polled_events != nullptr) (*parts_->polled_events)();
	for (InputHandler* handler = *parts_->input_handlers; handler != nullptr;) {
		InputHandler* next = handler->next;
		pollfd state{handler->descriptor, POLLIN, 0};
		const bool ready = IsOpenDescriptor(handler->descriptor) && ::poll(&state, 1, 0) > 0;
		if (ready && handler->handler != nullptr) handler->handler(handler->data);
		handler = next;
	}
}

}  // namespace console::r

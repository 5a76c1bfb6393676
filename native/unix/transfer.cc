// Moving bytes through descriptors that never block.
#include "core/transfer.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "core/system_error.h"

namespace console {
namespace {

long Waiting(int descriptor) {
	int count = 0;
	if (::ioctl(descriptor, FIONREAD, &count) != 0) throw SystemError("ioctl", errno);
	return count;
}

}  // namespace

long ReadNow(int descriptor, void* into, std::size_t size) {
	if (size == 0) return 0;
	for (;;) {
		const ssize_t count = ::read(descriptor, into, size);
		if (count > 0) return count;
		if (count == 0 || errno == EIO) return -1;
		if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
		if (errno != EINTR) throw SystemError("read", errno);
	}
}

long WriteNow(int descriptor, const void* from, std::size_t size) {
	if (size == 0) return 0;
	for (;;) {
		const ssize_t count = ::write(descriptor, from, size);
		if (count >= 0) return count;
		if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
		if (errno != EINTR) throw SystemError("write", errno);
	}
}

long Available(int descriptor) {
	if (const long count = Waiting(descriptor)) return count;
	// A terminal's bytes pass through a queue of the kernel's before they are counted; to poll is to have it emptied.
	pollfd state{descriptor, POLLIN, 0};
	if (::poll(&state, 1, 0) < 0 && errno != EINTR) throw SystemError("poll", errno);
	return Waiting(descriptor);
}

}  // namespace console

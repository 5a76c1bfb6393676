// Moving bytes through descriptors that never block.
#include "core/transfer.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "core/system_error.h"

namespace console {

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
	int count = 0;
	if (::ioctl(descriptor, FIONREAD, &count) != 0) throw SystemError("ioctl", errno);
	return count;
}

}  // namespace console

// Pipes, sockets and the closing of inherited descriptors on Linux.
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "core/system_error.h"
#include "unix/flags.h"
#include "unix/platform.h"

namespace console::platform {
namespace {

// The size up to which a user without privileges may enlarge a pipe by default (fs.pipe-max-size).
constexpr int kPipeSize = 1024 * 1024;

}  // namespace

Ends OpenPipe() {
	int ends[2];
	if (::pipe2(ends, O_CLOEXEC) != 0) throw SystemError("pipe2", errno);
	Ends pipe{Descriptor(ends[0]), Descriptor(ends[1])};
	SetNonBlocking(pipe.near_end.Get());
	return pipe;
}

void EnlargePipe(int descriptor) noexcept {
	// A refusal leaves the usual 64 KiB, which is slower and nothing else.
	static_cast<void>(::fcntl(descriptor, F_SETPIPE_SZ, kPipeSize));
}

Ends OpenChannel() {
	int ends[2];
	if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw SystemError("socketpair", errno);
	Ends channel{Descriptor(ends[0]), Descriptor(ends[1])};
	SetNonBlocking(channel.near_end.Get());
	return channel;
}

void CloseFrom(int lowest) noexcept {
#ifdef SYS_close_range
	if (::syscall(SYS_close_range, static_cast<unsigned>(lowest), ~0U, 0U) == 0) return;
#endif
	// Kernels before 5.9, and sandboxes that refuse the call.
	if (DIR* folder = ::opendir("/proc/self/fd")) {
		const int own = ::dirfd(folder);
		while (const dirent* entry = ::readdir(folder)) {
			const int number = std::atoi(entry->d_name);
			if (number >= lowest && number != own) ::close(number);
		}
		::closedir(folder);
		return;
	}
	rlimit limit{};
	const bool known = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
	const int highest = known ? static_cast<int>(limit.rlim_cur) : 65536;
	for (int number = lowest; number < highest; ++number) ::close(number);
}

bool Poll(std::vector<pollfd>& states, int timeout) {
	if (::poll(states.data(), static_cast<nfds_t>(states.size()), timeout) >= 0) return true;
	if (errno != EINTR) throw SystemError("poll", errno);
	return false;
}

}  // namespace console::platform

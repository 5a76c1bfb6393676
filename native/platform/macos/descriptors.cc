// Pipes, sockets and the closing of inherited descriptors on macOS.
#include <dirent.h>
#include <fcntl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "core/system_error.h"
#include "unix/flags.h"
#include "unix/platform.h"

namespace console::platform {
namespace {

// macOS cannot make descriptors close-on-exec at birth. The server's own children do not get them all the same: Spawn
// asks for POSIX_SPAWN_CLOEXEC_DEFAULT, and so does libuv.
Ends Prepare(const int (&ends)[2]) {
	Ends pair{Descriptor(ends[0]), Descriptor(ends[1])};
	SetCloseOnExec(pair.near_end.Get());
	SetCloseOnExec(pair.far_end.Get());
	SetNonBlocking(pair.near_end.Get());
	return pair;
}

}  // namespace

Ends OpenPipe() {
	int ends[2];
	if (::pipe(ends) != 0) throw SystemError("pipe", errno);
	return Prepare(ends);
}

// The system enlarges a pipe by itself, to 64 KiB; there is no call for more.
void EnlargePipe(int) noexcept {}

Ends OpenChannel() {
	int ends[2];
	if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw SystemError("socketpair", errno);
	return Prepare(ends);
}

void CloseFrom(int lowest) noexcept {
	if (DIR* folder = ::opendir("/dev/fd")) {
		// Collected first: what /dev/fd lists changes with every close.
		std::vector<int> open;
		const int own = ::dirfd(folder);
		while (const dirent* entry = ::readdir(folder)) {
			const int number = std::atoi(entry->d_name);
			if (number >= lowest && number != own) open.push_back(number);
		}
		::closedir(folder);
		for (const int number : open) ::close(number);
		return;
	}
	const int highest = ::getdtablesize();
	for (int number = lowest; number < highest; ++number) ::close(number);
}

// By select: poll has refused terminals in several versions of macOS. The launcher has few descriptors, so all fit into
// a set.
bool Poll(std::vector<pollfd>& states, int timeout) {
	fd_set readable;
	fd_set writable;
	FD_ZERO(&readable);
	FD_ZERO(&writable);
	int highest = -1;
	for (const pollfd& state : states) {
		if (state.fd < 0) continue;
		if ((state.events & POLLIN) != 0) FD_SET(state.fd, &readable);
		if ((state.events & POLLOUT) != 0) FD_SET(state.fd, &writable);
		highest = std::max(highest, state.fd);
	}
	timeval time{timeout / 1000, timeout % 1000 * 1000};
	if (::select(highest + 1, &readable, &writable, nullptr, timeout < 0 ? nullptr : &time) < 0) {
		if (errno != EINTR) throw SystemError("select", errno);
		return false;
	}
	for (pollfd& state : states) {
		state.revents = 0;
		if (state.fd < 0) continue;
		if (FD_ISSET(state.fd, &readable)) state.revents |= POLLIN;
		if (FD_ISSET(state.fd, &writable)) state.revents |= POLLOUT;
	}
	return true;
}

}  // namespace console::platform

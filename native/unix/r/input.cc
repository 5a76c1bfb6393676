#include "r/input.h"

#include <fcntl.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

namespace console::r {
namespace {

constexpr int kTerminal = 0;

Descriptor OpenAgain() {
	const char* name = ::ttyname(kTerminal);
	constexpr int flags = O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
	return Descriptor(name == nullptr ? ::fcntl(kTerminal, F_DUPFD_CLOEXEC, 4) : ::open(name, flags));
}

void TakeForeground(int terminal) {
	if (::tcgetpgrp(terminal) == ::getpgrp()) return;
	sigset_t stop, before;
	sigemptyset(&stop);
	sigaddset(&stop, SIGTTOU);
	::pthread_sigmask(SIG_BLOCK, &stop, &before);
	::tcsetpgrp(terminal, ::getpgrp());
	::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

Input::Input() : own_(OpenAgain()) {}

void Input::MakeUsable() const {
	termios modes;
	TakeForeground(own_.Get());
	if (::tcgetattr(own_.Get(), &modes) != 0) return;  // it has hung up: the read will tell
	const termios before = modes;
	::cfmakeraw(&modes);
	const bool raw =
	    modes.c_iflag == before.c_iflag && modes.c_oflag == before.c_oflag && modes.c_lflag == before.c_lflag;
	if (!raw) ::tcsetattr(own_.Get(), TCSANOW, &modes);
}

// One byte at a time: nothing tells where the line ends before it is read.
bool Input::Take(std::size_t limit) {
	while (taken_.size() < limit && (taken_.empty() || taken_.back() != '\n')) {
		char byte;
		const ssize_t count = ::read(own_.Get(), &byte, 1);
		if (count == 1) {
			taken_ += byte;
		} else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
			return false;
		} else {
			return true;  // end of file, or the terminal has hung up
		}
	}
	return true;
}

int Input::AwaitByte(unsigned char& byte) {
	const ssize_t count = ::read(kTerminal, &byte, 1);
	return count < 0 && errno != EINTR ? 0 : static_cast<int>(count);
}

}  // namespace console::r

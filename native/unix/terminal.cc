// What is the same for the terminals of all UNIX systems.
#include "unix/terminal.h"

#include <sys/ioctl.h>
#include <termios.h>

#include <cerrno>

#include "core/platform.h"
#include "core/system_error.h"

namespace console {

void platform::MakeRaw(int descriptor) {
	termios modes{};
	if (::tcgetattr(descriptor, &modes) != 0) throw SystemError("tcgetattr", errno);
	termios raw = modes;
	::cfmakeraw(&raw);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	const bool is_raw = raw.c_iflag == modes.c_iflag && raw.c_oflag == modes.c_oflag && raw.c_cflag == modes.c_cflag &&
	                    raw.c_lflag == modes.c_lflag && raw.c_cc[VMIN] == modes.c_cc[VMIN] &&
	                    raw.c_cc[VTIME] == modes.c_cc[VTIME];
	if (is_raw) return;
	if (::tcsetattr(descriptor, TCSANOW, &raw) != 0) throw SystemError("tcsetattr", errno);
}

Handle platform::Watchable(Handle terminal) {
	return terminal;
}

void SetUsualSize(int descriptor) {
	winsize size{};
	size.ws_row = 24;
	size.ws_col = 80;
	if (::ioctl(descriptor, TIOCSWINSZ, &size) != 0) throw SystemError("ioctl", errno);
}

}  // namespace console

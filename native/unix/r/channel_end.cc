#include "r/channel_end.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/system_error.h"
#include "unix/flags.h"

namespace console::r {
namespace {

constexpr int kNumber = 3;
constexpr std::size_t kPieceSize = std::size_t{1} << 16;

}  // namespace

struct ChannelEnd::Parts {
	pid_t process;
	dev_t device;
	ino_t file;
};

ChannelEnd::ChannelEnd() {
	struct stat status;
	if (::fstat(kNumber, &status) != 0) throw SystemError("fstat", errno, "the private channel");
	SetCloseOnExec(kNumber);
	parts_ = std::make_unique<Parts>(Parts{::getpid(), status.st_dev, status.st_ino});
}

ChannelEnd::~ChannelEnd() = default;

Handle ChannelEnd::Readable() const noexcept {
	return kNumber;
}

bool ChannelEnd::IsOurs() const noexcept {
	return ::getpid() == parts_->process;
}

bool ChannelEnd::IsIntact() const noexcept {
	struct stat status;
	return ::fstat(kNumber, &status) == 0 && status.st_dev == parts_->device && status.st_ino == parts_->file;
}

std::optional<std::string> ChannelEnd::Read() {
	char piece[kPieceSize];
	const ssize_t count = ::read(kNumber, piece, sizeof piece);
	if (count < 0 && errno == EINTR) return std::string();
	if (count <= 0) return std::nullopt;
	return std::string(piece, static_cast<std::size_t>(count));
}

bool ChannelEnd::HasInput() const noexcept {
	pollfd state{kNumber, POLLIN, 0};
	return ::poll(&state, 1, 0) > 0;
}

bool ChannelEnd::Write(std::string_view bytes) {
	while (!bytes.empty()) {
		const ssize_t count = ::write(kNumber, bytes.data(), bytes.size());
		if (count >= 0) {
			bytes.remove_prefix(static_cast<std::size_t>(count));
		} else if (errno != EINTR) {
			return false;
		}
	}
	return true;
}

}  // namespace console::r

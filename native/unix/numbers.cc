// The numbers under which Node knows open files, on UNIX: the file descriptors.
#include "addon/numbers.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/system_error.h"

namespace console {

int GiveToNode(Descriptor descriptor) {
	return descriptor.Release();
}

Handle FileUnder(int number) {
	return number;
}

std::optional<Identity> IdentityUnder(int number) noexcept {
	struct stat state{};
	if (::fstat(number, &state) != 0) return std::nullopt;
	return Identity{static_cast<std::uint64_t>(state.st_dev), static_cast<std::uint64_t>(state.st_ino)};
}

void CloseNumber(int number) {
	// An interrupted close has closed: see platform::Close.
	if (::close(number) != 0 && errno != EINTR) throw SystemError("close", errno);
}

}  // namespace console

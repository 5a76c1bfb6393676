#include "r/process.h"

#include <unistd.h>

#include <cstdlib>

// Not every system's headers declare it.
extern char** environ;

namespace console::r {

std::int64_t ProcessNumber() noexcept {
	return ::getpid();
}

void ExitNow(int status) noexcept {
	::_exit(status);
}

std::vector<std::string> Arguments(int count, char** words) {
	return {words, words + count};
}

std::string Variable(const char* name) {
	const char* value = std::getenv(name);
	return value == nullptr ? std::string() : value;
}

std::string EnvironmentText() {
	std::string text;
	for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
		text.append(*variable).push_back('\0');
	}
	return text;
}

}  // namespace console::r

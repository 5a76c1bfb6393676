// What a `start` frame asks for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace console {

struct StartRequest {
	std::string folder;
	// At least one; the first is the program.
	std::vector<std::string> arguments;
	// NAME=value, all that the runtime gets.
	std::vector<std::string> environment;
};

// Why a runtime was not executed.
struct StartFailure {
	// "fork", "terminal", "chdir" or "exec".
	const char* step;
	int error;
};

// Understands the body of a `start` frame. Throws FrameError.
StartRequest ParseStartRequest(std::string_view body);

}  // namespace console

// The R code of the runtime (lib/runtime/r), as the host calls it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "r/r_library.h"

namespace console::r {

// Its functions live in an environment of their own, whose parent is R's base: no cell meets them, and none can break
// them by defining something of the same name. They run with R's interrupts suspended, and never print a warning later.
class Code {
public:
	// `tell` takes the message of an error of theirs, and shows it.
	Code(const Library& library, std::function<void(const char*)> tell) : library_(library), tell_(std::move(tell)) {}

	// Reads the files in `folder`, for a session whose Python in R's process is `interpreter`, none when that is empty.
	// Throws LibraryError with R's own words.
	void Load(const std::string& folder, const std::string& interpreter);
	// Calls a function by its name, and never jumps. Returns what it returns, unprotected; R's NULL when it ends with
	// an error, which is then shown.
	Value Call(const char* name);
	Value Call(const char* name, Value argument);
	Value Call(const char* name, Value first, Value second);
	Value Call(const char* name, const std::string& argument);
	Value Call(const char* name, const std::string& first, const std::string& second);
	Value Call(const char* name, int argument);

private:
	Value Function(const char* name);
	Value Evaluate(Value call, bool& failed);
	Value EvaluateOrTell(Value call);

	const Library& library_;
	std::function<void(const char*)> tell_;
	Value find_ = nullptr;
	std::map<std::string, Value> functions_;
};

}  // namespace console::r

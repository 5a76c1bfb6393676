// This process, as the system has it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace console::r {

std::int64_t ProcessNumber() noexcept;
// Ends it at once: nothing more of it runs, no handler of a library either.
[[noreturn]] void ExitNow(int status) noexcept;
// The words with which it was started, as UTF-8; main was given `count` and `words`.
std::vector<std::string> Arguments(int count, char** words);
// A variable of its environment, as UTF-8; empty when it is not set.
std::string Variable(const char* name);
// All variables, each as NAME=value with a NUL after it.
std::string EnvironmentText();

}  // namespace console::r

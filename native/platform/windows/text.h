// Text as Windows takes it.
#pragma once

#include <string>
#include <vector>

namespace console {

// UTF-8 to UTF-16. What is not UTF-8 becomes U+FFFD.
std::wstring Wide(const std::string& text);
// UTF-16 to UTF-8. What is not UTF-16 becomes U+FFFD.
std::string Narrow(const std::wstring& text);
// One text that C runtimes take apart into exactly these arguments.
std::wstring CommandLine(const std::vector<std::string>& arguments);
// NAME=value texts as CreateProcess takes them: sorted by name, whatever the case, each ended by a NUL, and one more.
std::wstring EnvironmentBlock(const std::vector<std::string>& variables);

}  // namespace console

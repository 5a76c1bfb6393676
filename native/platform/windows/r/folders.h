// Where things are in an R for Windows.
#pragma once

#include <string>

namespace console::r {

// The folder of the programs and libraries of the R at `home`.
inline std::string ProgramsOf(const std::string& home) {
	return home + "\\bin\\x64";
}

}  // namespace console::r

// Libraries that are opened at run time.
#pragma once

#include <string>

namespace console::r {

// Opens the shared library of the R at `home`. Returns what FindEntry takes. Throws LibraryError.
void* OpenR(const std::string& home);
// An entry of R's library; null when it has none of this name.
void* FindEntry(void* library, const char* name) noexcept;
// An entry of the Python library that is in this process; null when there is none.
void* FindInPython(const char* name) noexcept;

}  // namespace console::r

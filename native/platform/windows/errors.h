// Windows' own error numbers as SystemError has them.
#pragma once

#include <string>

#include "core/system_error.h"

namespace console {

// The errno that says most nearly what an error of Windows does.
int ErrnoOf(unsigned long error) noexcept;
// What to throw after a call that has failed: GetLastError says why. `call` and `subject` as in SystemError.
SystemError LastError(const char* call, const std::string& subject = {});

}  // namespace console

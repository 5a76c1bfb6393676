// The two flags that every descriptor of the core is given.
#pragma once

namespace console {

// Reads and writes of this open file return at once instead of waiting. Throws SystemError.
void SetNonBlocking(int descriptor);
// The descriptor does not survive an exec. Throws SystemError.
void SetCloseOnExec(int descriptor);

}  // namespace console

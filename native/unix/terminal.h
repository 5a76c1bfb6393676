// What is the same for the terminals of all UNIX systems.
#pragma once

namespace console {

// Tells programs that ask that the terminal has 24 rows and 80 columns: some divide by the zero of a fresh one.
// Throws SystemError.
void SetUsualSize(int descriptor);

}  // namespace console

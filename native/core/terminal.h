// What is the same for the terminals of all UNIX systems.
#pragma once

namespace console {

// Puts a terminal into raw mode: no echo, no signals, no translation, eight bits. Takes effect at once, loses no input.
// `descriptor` is either end. Does nothing when the terminal is raw already. Throws SystemError.
void MakeRaw(int descriptor);
// Tells programs that ask that the terminal has 24 rows and 80 columns: some divide by the zero of a fresh one.
// Throws SystemError.
void SetUsualSize(int descriptor);

}  // namespace console

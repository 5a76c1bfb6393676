// The numbers under which Node knows open files: numbers.cc of native/unix and of native/platform/windows. On UNIX they
// are the file descriptors, on Windows entries of a table that Node's C runtime keeps.
#pragma once

#include <cstdint>
#include <optional>

#include "core/descriptor.h"

namespace console {

// Tells an open file from every other: two numbers, of which the system says what they are.
struct Identity {
	std::uint64_t place;
	std::uint64_t file;
	bool operator==(const Identity& other) const noexcept { return place == other.place && file == other.file; }
};

// Gives an open file to Node, under a number. Throws SystemError.
int GiveToNode(Descriptor descriptor);
// The open file under a number. Throws SystemError (EBADF) when there is none.
Handle FileUnder(int number);
// What the file under a number is; nothing when there is none.
std::optional<Identity> IdentityUnder(int number) noexcept;
// Closes what a number stands for. Throws SystemError.
void CloseNumber(int number);

}  // namespace console

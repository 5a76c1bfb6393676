// fd 0 on Windows: a pipe, which tells what is in it before anything is read.
#include "r/input.h"

#include <windows.h>

#include <algorithm>

#include "errors.h"

namespace console::r {
namespace {

constexpr std::size_t kPieceSize = std::size_t{1} << 12;

Descriptor OpenAgain() {
	HANDLE copy = nullptr;
	const HANDLE self = ::GetCurrentProcess();
	const HANDLE given = ::GetStdHandle(STD_INPUT_HANDLE);
	if (!::DuplicateHandle(self, given, self, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS)) {
		throw LastError("DuplicateHandle", "standard input");
	}
	return Descriptor(copy);
}

}  // namespace

Input::Input() : own_(OpenAgain()) {}

void Input::MakeUsable() const {}

bool Input::Take(std::size_t limit) {
	while (taken_.size() < limit && (taken_.empty() || taken_.back() != '\n')) {
		char ahead[kPieceSize];
		DWORD count = 0;
		const auto most = static_cast<DWORD>(std::min(limit - taken_.size(), sizeof ahead));
		if (!::PeekNamedPipe(own_.Get(), ahead, most, &count, nullptr, nullptr)) return true;  // nobody can write to it
		if (count == 0) return false;
		const auto wanted = static_cast<DWORD>(std::find(ahead, ahead + count, '\n') - ahead) + 1;
		if (!::ReadFile(own_.Get(), ahead, std::min(wanted, count), &count, nullptr) || count == 0) return true;
		taken_.append(ahead, count);
	}
	return true;
}

int Input::AwaitByte(unsigned char& byte) {
	DWORD count = 0;
	return ::ReadFile(::GetStdHandle(STD_INPUT_HANDLE), &byte, 1, &count, nullptr) && count == 1 ? 1 : 0;
}

}  // namespace console::r

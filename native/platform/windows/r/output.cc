// R's console on Windows. Nothing is held: a write to a pipe costs little there, and children inherit the pipe without
// anything that could be told of their start.
#include "r/output.h"

#include <windows.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "core/descriptor.h"

namespace console::r {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 20;

// The C runtimes that R and its packages may be built with: what C code prints is in their buffers.
constexpr const wchar_t* kRuntimes[] = {L"ucrtbase.dll", L"msvcrt.dll"};

template <typename Function>
bool Find(HMODULE module, const char* name, Function& function) {
	const FARPROC found = ::GetProcAddress(module, name);
	std::memcpy(&function, &found, sizeof function);
	return found != nullptr;
}

Descriptor Again(HANDLE handle) {
	HANDLE again = kNoHandle;
	const HANDLE process = ::GetCurrentProcess();
	::DuplicateHandle(process, handle, process, &again, 0, FALSE, DUPLICATE_SAME_ACCESS);
	return Descriptor(again);
}

}  // namespace

struct Output::Parts {
	void TellLost(int descriptor, std::size_t& lost) const;

	std::mutex mutex;
	// How many bytes for fd 1 and 2 were lost and are not told.
	std::size_t lost_output = 0;
	std::size_t lost_errors = 0;
	// The pipe once more: what code closes is another handle.
	const Descriptor spare = Again(::GetStdHandle(STD_ERROR_HANDLE));
};

Output::Output() : parts_(std::make_unique<Parts>()) {}

Output::~Output() = default;

// Where a cell has closed the descriptor, the text is lost, as in any R.
void Output::Write(int descriptor, std::string_view text) {
	if (before_) before_();
	const std::lock_guard lock(parts_->mutex);
	const HANDLE pipe = ::GetStdHandle(descriptor == 1 ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
	while (!text.empty()) {
		DWORD count = 0;
		if (!::WriteFile(pipe, text.data(), static_cast<DWORD>(std::min(text.size(), kMost)), &count, nullptr)) {
			(descriptor == 1 ? parts_->lost_output : parts_->lost_errors) += text.size();
			return;
		}
		text.remove_prefix(count);
		if (count == 0) ::Sleep(1);  // a child has made the pipe one that does not wait
	}
}

void Output::TellLost() {
	const std::lock_guard lock(parts_->mutex);
	parts_->TellLost(1, parts_->lost_output);
	parts_->TellLost(2, parts_->lost_errors);
}

void Output::Parts::TellLost(int descriptor, std::size_t& lost) const {
	if (lost == 0) return;
	const std::string text = LostText(descriptor, lost);
	DWORD count = 0;
	::WriteFile(spare.Get(), text.data(), static_cast<DWORD>(text.size()), &count, nullptr);
	lost = 0;
}

void Output::Release() {
	if (before_) before_();
	ReleaseHeld();
}

void Output::ReleaseHeld() {
	for (const wchar_t* name : kRuntimes) {
		const HMODULE runtime = ::GetModuleHandleW(name);
		int (*flush)(void*) = nullptr;
		if (runtime != nullptr && Find(runtime, "fflush", flush)) flush(nullptr);
	}
}

}  // namespace console::r

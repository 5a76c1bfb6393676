#include "r/process.h"

#include <windows.h>
// After windows.h.
#include <shellapi.h>

#include "text.h"

namespace console::r {

std::int64_t ProcessNumber() noexcept {
	return static_cast<std::int64_t>(::GetCurrentProcessId());
}

// Not ExitProcess, which asks every library first.
void ExitNow(int status) noexcept {
	::TerminateProcess(::GetCurrentProcess(), static_cast<UINT>(status));
	for (;;) ::Sleep(INFINITE);
}

// What main is given is in the system's code page.
std::vector<std::string> Arguments(int, char**) {
	int count = 0;
	wchar_t** words = ::CommandLineToArgvW(::GetCommandLineW(), &count);
	std::vector<std::string> arguments;
	for (int index = 0; index < count; ++index) arguments.push_back(Narrow(words[index]));
	::LocalFree(words);
	return arguments;
}

std::string Variable(const char* name) {
	const std::wstring wide = Wide(name);
	std::wstring value(32768, L'\0');
	value.resize(::GetEnvironmentVariableW(wide.c_str(), value.data(), static_cast<DWORD>(value.size())));
	return Narrow(value);
}

std::string EnvironmentText() {
	std::string text;
	wchar_t* block = ::GetEnvironmentStringsW();
	for (const wchar_t* variable = block; *variable != L'\0'; variable += std::wstring(variable).size() + 1) {
		text.append(Narrow(variable)).push_back('\0');
	}
	::FreeEnvironmentStringsW(block);
	return text;
}

}  // namespace console::r

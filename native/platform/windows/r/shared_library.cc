#include "r/shared_library.h"

#include <windows.h>
// After windows.h.
#include <psapi.h>

#include "r/folders.h"
#include "r/r_library.h"
#include "text.h"

namespace console::r {
namespace {

void* Address(HMODULE module, const char* name) {
	return reinterpret_cast<void*>(::GetProcAddress(module, name));
}

}  // namespace

// The libraries that come with R's lie beside it, and are to be found by packages too.
void* OpenR(const std::string& home) {
	const std::wstring folder = Wide(ProgramsOf(home));
	const std::wstring path = folder + L"\\R.dll";
	if (::GetFileAttributesW(path.c_str()) == INVALID_FILE_ATTRIBUTES) {
		throw LibraryError("the R at " + home + " has no " + Narrow(path) +
		                   ", which Console needs; install R for Windows, 64-bit, 4.2 or newer");
	}
	::SetDllDirectoryW(folder.c_str());
	const HMODULE library = ::LoadLibraryExW(path.c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
	if (library == nullptr) {
		throw LibraryError("the library of the R at " + home + " does not load: Windows error " +
		                   std::to_string(::GetLastError()));
	}
	return library;
}

void* FindEntry(void* library, const char* name) noexcept {
	return Address(static_cast<HMODULE>(library), name);
}

// There is one Python in a process, and its library is called python3NN.dll; python3.dll leads to it and has less.
void* FindInPython(const char* name) noexcept {
	HMODULE modules[1024];
	DWORD size = 0;
	if (!::EnumProcessModules(::GetCurrentProcess(), modules, sizeof modules, &size)) return nullptr;
	const DWORD count = size < sizeof modules ? size / sizeof modules[0] : 1024;
	for (DWORD index = 0; index < count; ++index) {
		void* const found = Address(modules[index], name);
		if (found != nullptr) return found;
	}
	return nullptr;
}

}  // namespace console::r

// Has an old R for Windows pass for one of 4.2, for tests: the only R for Windows that a package registry of the test
// machine has is 3.2.3. It is real: its main loop, its evaluator, its events. This library is called R.dll and leads
// every name on to that R's own library, which is called OldR.dll; two of them it gives itself.
//
// What R 4.2 does beyond 3.2 is: it takes a structure of version 1, and it calls a front end that has asked for it when
// it returns to its top level. The former is done by giving the old R the fields that it knows (they are the first
// ones), the latter by leading the old R's own function, which does nothing, to the front end's.
#include <windows.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

// Where the fields of version 1 are, in a structure for 64 bits.
struct Startup {
	unsigned char old[152];
	int character_mode;
	void* write_console_marked;
	int emit_embedded_utf8;
	void* clean_up;
	void* clear_error_console;
	void* flush_console;
	void* reset_console;
	void* suicide;
};

template <typename Function>
Function Old(const char* name) {
	const FARPROC found = ::GetProcAddress(::GetModuleHandleW(L"OldR.dll"), name);
	Function function = nullptr;
	std::memcpy(&function, &found, sizeof function);
	return function;
}

// Has a function begin with a jump to another.
void Lead(void* from, void* to) {
	unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};  // mov rax, TO; jmp rax
	std::memcpy(jump + 2, &to, sizeof to);
	DWORD before = 0;
	::VirtualProtect(from, sizeof jump, PAGE_EXECUTE_READWRITE, &before);
	std::memcpy(from, jump, sizeof jump);
	::VirtualProtect(from, sizeof jump, before, &before);
	::FlushInstructionCache(::GetCurrentProcess(), from, sizeof jump);
}

}  // namespace

extern "C" {

__declspec(dllexport) int R_DefParamsEx(Startup* startup, int version) {
	if (version != 1) return 1;
	Old<void (*)(Startup*)>("R_DefParams")(startup);
	startup->clean_up = Old<void*>("R_CleanUp");
	return 0;
}

__declspec(dllexport) void R_SetParams(Startup* startup) {
	Old<void (*)(Startup*)>("R_SetParams")(startup);
	Lead(Old<void*>("R_ResetConsole"), startup->reset_console);
	Lead(Old<void*>("R_FlushConsole"), startup->flush_console);
}
}

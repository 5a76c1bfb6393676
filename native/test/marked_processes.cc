// For tests on Windows: prints the ids of the processes whose environment has a variable of this value, one a line. No
// tool of the system tells a process's environment, so it is read from where the process itself has it.
//   marked_processes NAME=VALUE
#include <windows.h>
#include <winternl.h>

#include <tlhelp32.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int kExitUsage = 64;
constexpr int kExitSystem = 71;
// Where a process of 64 bits has its parameters, and these their environment and its size in bytes.
constexpr std::size_t kParametersOffset = 0x20;
constexpr std::size_t kEnvironmentOffset = 0x80;
constexpr std::size_t kEnvironmentSizeOffset = 0x3F0;
constexpr std::size_t kLongestEnvironment = 1 << 20;

using Query = NTSTATUS(NTAPI*)(HANDLE, PROCESSINFOCLASS, PVOID, ULONG, PULONG);

template <typename Value>
bool Read(HANDLE process, std::size_t address, Value& value) {
	return ::ReadProcessMemory(process, reinterpret_cast<LPCVOID>(address), &value, sizeof value, nullptr) != 0;
}

// The variables of a process, each ended by a zero; empty when they cannot be read.
std::wstring EnvironmentOf(HANDLE process, Query query) {
	PROCESS_BASIC_INFORMATION information{};
	if (query(process, ProcessBasicInformation, &information, sizeof information, nullptr) < 0) return {};
	std::size_t parameters = 0;
	std::size_t environment = 0;
	std::size_t size = 0;
	const auto block = reinterpret_cast<std::size_t>(information.PebBaseAddress);
	if (block == 0 || !Read(process, block + kParametersOffset, parameters)) return {};
	if (!Read(process, parameters + kEnvironmentOffset, environment)) return {};
	if (!Read(process, parameters + kEnvironmentSizeOffset, size) || size > kLongestEnvironment) return {};
	std::wstring text(size / sizeof(wchar_t), L'\0');
	const auto from = reinterpret_cast<LPCVOID>(environment);
	return ::ReadProcessMemory(process, from, text.data(), text.size() * sizeof(wchar_t), nullptr) != 0
	           ? text
	           : std::wstring();
}

}  // namespace

int wmain(int count, wchar_t** arguments) {
	if (count != 2) return kExitUsage;
	const std::wstring wanted = std::wstring(1, L'\0') + arguments[1] + std::wstring(1, L'\0');
	const HMODULE library = ::GetModuleHandleW(L"ntdll.dll");
	const auto query =
	    reinterpret_cast<Query>(reinterpret_cast<void*>(::GetProcAddress(library, "NtQueryInformationProcess")));
	const HANDLE table = ::CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
	if (query == nullptr || table == INVALID_HANDLE_VALUE) return kExitSystem;
	PROCESSENTRY32W entry{};
	entry.dwSize = sizeof entry;
	for (BOOL more = ::Process32FirstW(table, &entry); more != 0; more = ::Process32NextW(table, &entry)) {
		if (entry.th32ProcessID == ::GetCurrentProcessId()) continue;
		const HANDLE process = ::OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE, entry.th32ProcessID);
		if (process == nullptr) continue;
		// One that has ended stays as long as somebody has a handle to it.
		DWORD code = 0;
		const bool runs = ::GetExitCodeProcess(process, &code) != 0 && code == STILL_ACTIVE;
		const std::wstring environment = std::wstring(1, L'\0') + EnvironmentOf(process, query);
		::CloseHandle(process);
		if (runs && environment.find(wanted) != std::wstring::npos) std::printf("%lu\n", entry.th32ProcessID);
	}
	::CloseHandle(table);
	return 0;
}

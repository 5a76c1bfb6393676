// For tests under wine: gives a Windows program the standard streams that it understands. node.exe cannot use the pipes
// that wine inherits from Linux; this program can, and copies them from and to pipes of Windows' own. The program and
// all that it starts end with this one, and so does this one, with its exit code, when it ends.
//   stdio_bridge PROGRAM ARGUMENT…
#include <windows.h>

#include <string>

namespace {

constexpr DWORD kPieceSize = 65536;
constexpr int kExitUsage = 64;
constexpr int kExitSystem = 71;

struct Route {
	HANDLE from;
	HANDLE to;
};

// Copies until one of the two ends, then closes the other's way.
DWORD WINAPI Copy(void* context) {
	const Route& route = *static_cast<Route*>(context);
	static thread_local char bytes[kPieceSize];
	DWORD count = 0;
	while (::ReadFile(route.from, bytes, kPieceSize, &count, nullptr) && count > 0) {
		for (DWORD done = 0; done < count;) {
			DWORD written = 0;
			if (!::WriteFile(route.to, bytes + done, count - done, &written, nullptr)) return 1;
			done += written;
		}
	}
	::CloseHandle(route.to);
	return 0;
}

void Require(bool holds) {
	if (!holds) ::ExitProcess(kExitSystem);
}

// A pipe whose `theirs` end the program inherits.
void OpenPipe(HANDLE& reads, HANDLE& writes, const HANDLE& theirs) {
	Require(::CreatePipe(&reads, &writes, nullptr, kPieceSize));
	Require(::SetHandleInformation(theirs, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT));
}

// The command line without its first word, which is this program.
wchar_t* Rest() {
	wchar_t* line = ::GetCommandLineW();
	const wchar_t end = *line == L'"' ? *line++ : L' ';
	while (*line != L'\0' && *line != end) ++line;
	if (*line == L'"') ++line;
	while (*line == L' ') ++line;
	return line;
}

HANDLE NewJob() {
	const HANDLE job = ::CreateJobObjectW(nullptr, nullptr);
	JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
	limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
	Require(::SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits));
	return job;
}

}  // namespace

int main() {
	std::wstring command = Rest();
	if (command.empty()) return kExitUsage;
	STARTUPINFOW startup{};
	startup.cb = sizeof startup;
	startup.dwFlags = STARTF_USESTDHANDLES;
	Route in{::GetStdHandle(STD_INPUT_HANDLE), nullptr};
	Route out{nullptr, ::GetStdHandle(STD_OUTPUT_HANDLE)};
	Route error{nullptr, ::GetStdHandle(STD_ERROR_HANDLE)};
	OpenPipe(startup.hStdInput, in.to, startup.hStdInput);
	OpenPipe(out.from, startup.hStdOutput, startup.hStdOutput);
	OpenPipe(error.from, startup.hStdError, startup.hStdError);

	const HANDLE job = NewJob();
	PROCESS_INFORMATION process{};
	Require(::CreateProcessW(nullptr, command.data(), nullptr, nullptr, TRUE, CREATE_SUSPENDED, nullptr, nullptr,
	                         &startup, &process));
	Require(::AssignProcessToJobObject(job, process.hProcess));
	::ResumeThread(process.hThread);
	for (const HANDLE handle : {startup.hStdInput, startup.hStdOutput, startup.hStdError}) ::CloseHandle(handle);

	::CreateThread(nullptr, 0, Copy, &in, 0, nullptr);
	const HANDLE copies[] = {::CreateThread(nullptr, 0, Copy, &out, 0, nullptr),
	                         ::CreateThread(nullptr, 0, Copy, &error, 0, nullptr)};
	::WaitForSingleObject(process.hProcess, INFINITE);
	DWORD code = kExitSystem;
	::GetExitCodeProcess(process.hProcess, &code);
	// What it has written is in the pipes; processes that it left could hold them open.
	::CloseHandle(job);
	::WaitForMultipleObjects(2, copies, TRUE, INFINITE);
	::ExitProcess(code);
}

// One runtime process.
#include "runtime.h"

#include <windows.h>

#include <cerrno>
#include <memory>

#include "errors.h"
#include "start_process.h"
#include "text.h"

namespace console {
namespace {

// Whom to tell of an exit.
struct Addressee {
	HANDLE port;
	std::size_t key;
	std::size_t index;
};

void CALLBACK TellExit(void* context, BOOLEAN) {
	const std::unique_ptr<Addressee> addressee(static_cast<Addressee*>(context));
	::PostQueuedCompletionStatus(addressee->port, static_cast<DWORD>(addressee->index), addressee->key, nullptr);
}

// The PATH of an environment, whatever the case of its name.
std::wstring PathOf(const std::vector<std::string>& environment) {
	constexpr int kNameLength = 5;
	for (const std::string& variable : environment) {
		if (::_strnicmp(variable.c_str(), "PATH=", kNameLength) == 0) return Wide(variable.substr(kNameLength));
	}
	return {};
}

// The file of a program: a name is looked up in PATH, a path is relative to the folder; `.exe` may be left out.
std::wstring FindProgram(const StartRequest& request, const std::wstring& folder) {
	const std::wstring name = Wide(request.arguments[0]);
	const bool is_path = name.find_first_of(L"\\/:") != std::wstring::npos;
	const bool is_absolute = name.find(L':') != std::wstring::npos || name[0] == L'\\' || name[0] == L'/';
	const std::wstring places = is_path ? folder : PathOf(request.environment);
	const std::wstring file = is_path && !is_absolute ? folder + L'\\' + name : name;
	std::wstring found(32768, L'\0');
	const DWORD length = ::SearchPathW(is_path ? nullptr : places.c_str(), file.c_str(), L".exe",
	                                   static_cast<DWORD>(found.size()), found.data(), nullptr);
	if (length == 0) throw LastError("SearchPathW", request.arguments[0]);
	found.resize(length);
	return found;
}

}  // namespace

Runtime::~Runtime() {
	// What it would tell comes too late.
	if (wait_ != kNoHandle) ::UnregisterWaitEx(wait_, INVALID_HANDLE_VALUE);
}

std::optional<StartFailure> Runtime::Start(const StartRequest& request, const std::vector<Handle>& standard,
                                           const Job& job, Handle port, std::size_t key, std::size_t index) {
	started_ = true;
	const DWORD attributes = ::GetFileAttributesW(Wide(request.folder).c_str());
	if (attributes == INVALID_FILE_ATTRIBUTES) return StartFailure{"chdir", ErrnoOf(::GetLastError())};
	if ((attributes & FILE_ATTRIBUTE_DIRECTORY) == 0) return StartFailure{"chdir", ENOTDIR};
	try {
		Execute(request, standard, job);
	} catch (const SystemError& error) {
		return StartFailure{"exec", error.Number()};
	}
	channel_ = Descriptor();
	auto addressee = std::make_unique<Addressee>(Addressee{port, key, index});
	if (!::RegisterWaitForSingleObject(&wait_, process_.Get(), TellExit, addressee.get(), INFINITE,
	                                   WT_EXECUTEONLYONCE)) {
		return StartFailure{"fork", ErrnoOf(::GetLastError())};
	}
	static_cast<void>(addressee.release());
	return std::nullopt;
}

// The process does not run before it belongs to the job: what it starts belongs to it, too.
void Runtime::Execute(const StartRequest& request, const std::vector<Handle>& standard, const Job& job) {
	const std::wstring folder = Wide(request.folder);
	std::vector<Handle> handles = standard;
	handles.push_back(channel_.Get());
	StartedProcess started = StartProcess({FindProgram(request, folder), CommandLine(request.arguments),
	                                       EnvironmentBlock(request.environment), folder, handles, CREATE_SUSPENDED});
	try {
		job.Add(started.process.Get());
	} catch (const SystemError&) {
		::TerminateProcess(started.process.Get(), 1);
		throw;
	}
	::ResumeThread(started.thread.Get());
	process_ = std::move(started.process);
	pid_ = started.pid;
}

ExitStatus Runtime::Reap() {
	DWORD code = 0;
	if (!::GetExitCodeProcess(process_.Get(), &code)) throw LastError("GetExitCodeProcess");
	process_ = Descriptor();
	pid_ = 0;
	return {false, code};
}

}  // namespace console

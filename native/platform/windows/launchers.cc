// The launchers that this process has started, on Windows.
#include <windows.h>

#include <cerrno>
#include <map>
#include <mutex>

#include "children.h"
#include "core/generation.h"
#include "errors.h"

namespace console {
namespace {

struct Children {
	std::mutex mutex;
	std::map<ProcessId, Descriptor> processes;
};

Children& AllChildren() {
	static Children children;
	return children;
}

}  // namespace

void KeepChild(ProcessId pid, Descriptor process) {
	Children& children = AllChildren();
	const std::lock_guard<std::mutex> lock(children.mutex);
	children.processes.insert_or_assign(pid, std::move(process));
}

std::optional<ExitStatus> ReapLauncher(ProcessId launcher) {
	Children& children = AllChildren();
	const std::lock_guard<std::mutex> lock(children.mutex);
	const auto found = children.processes.find(launcher);
	if (found == children.processes.end()) throw SystemError("WaitForSingleObject", ECHILD);
	if (::WaitForSingleObject(found->second.Get(), 0) != WAIT_OBJECT_0) return std::nullopt;
	DWORD code = 0;
	if (!::GetExitCodeProcess(found->second.Get(), &code)) throw LastError("GetExitCodeProcess");
	children.processes.erase(found);
	return ExitStatus{false, code};
}

// Its job closes with it, and that ends everything in it.
void KillLauncher(ProcessId launcher) noexcept {
	constexpr UINT kCode = 1;
	Children& children = AllChildren();
	const std::lock_guard<std::mutex> lock(children.mutex);
	const auto found = children.processes.find(launcher);
	if (found != children.processes.end()) ::TerminateProcess(found->second.Get(), kCode);
}

// Nobody has to reap on Windows: a process is gone when nobody holds it open.
void AbandonLauncher(ProcessId launcher) {
	Children& children = AllChildren();
	const std::lock_guard<std::mutex> lock(children.mutex);
	children.processes.erase(launcher);
}

void ReapAbandoned() {}

}  // namespace console

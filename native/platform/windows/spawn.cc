// Starting the launcher on Windows.
#include <windows.h>

#include "children.h"
#include "core/platform.h"
#include "errors.h"
#include "start_process.h"
#include "text.h"

namespace console::platform {
namespace {

// A folder that is always there and that nobody wants to remove.
std::wstring SystemFolder() {
	wchar_t folder[MAX_PATH];
	if (::GetSystemDirectoryW(folder, MAX_PATH) == 0) throw LastError("GetSystemDirectoryW");
	return folder;
}

}  // namespace

// The console is what a Ctrl-C goes through: the launcher's own one is shared by its runtimes and by nobody else.
ProcessId Spawn(const std::string& program, const std::vector<std::string>& arguments,
                const std::vector<Handle>& handles) {
	const ProcessStart start{Wide(program), CommandLine(arguments), EnvironmentBlock({}), SystemFolder(),
	                         handles,       CREATE_NO_WINDOW};
	StartedProcess started = StartProcess(start);
	KeepChild(started.pid, std::move(started.process));
	return started.pid;
}

}  // namespace console::platform

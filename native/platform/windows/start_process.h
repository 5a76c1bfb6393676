// CreateProcessW, as the addon and the launcher use it.
#pragma once

#include <string>
#include <vector>

#include "core/platform.h"

namespace console {

struct ProcessStart {
	// The program's file, absolute.
	std::wstring program;
	std::wstring command_line;
	std::wstring environment;
	std::wstring folder;
	// handles[i] becomes descriptor i of the C runtime of the new process; the first three are its standard handles. It
	// has no others.
	std::vector<Handle> handles;
	// What CreateProcessW is to be told beyond that.
	unsigned long flags;
};

struct StartedProcess {
	ProcessId pid;
	Descriptor process;
	Descriptor thread;
};

// The handle that StartProcess has given to this process under a number. Some C runtimes drop those that are no files.
// Throws SystemError (EBADF) when there is none.
Handle GivenHandle(int number);

// Starts a process. Throws SystemError.
StartedProcess StartProcess(const ProcessStart& start);

}  // namespace console

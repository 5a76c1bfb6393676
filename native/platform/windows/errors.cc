// Windows' own error numbers as SystemError has them.
#include "errors.h"

#include <windows.h>

#include <cerrno>

namespace console {
namespace {

struct Entry {
	DWORD error;
	int number;
};

constexpr Entry kNumbers[] = {
    {ERROR_ACCESS_DENIED, EACCES},
    {ERROR_SHARING_VIOLATION, EACCES},
    {ERROR_LOCK_VIOLATION, EACCES},
    {ERROR_ACCESS_DISABLED_BY_POLICY, EPERM},
    {ERROR_FILE_NOT_FOUND, ENOENT},
    {ERROR_PATH_NOT_FOUND, ENOENT},
    {ERROR_INVALID_NAME, ENOENT},
    {ERROR_INVALID_DRIVE, ENOENT},
    {ERROR_BAD_NETPATH, ENOENT},
    {ERROR_DIRECTORY, ENOTDIR},
    {ERROR_BAD_EXE_FORMAT, ENOEXEC},
    {ERROR_EXE_MACHINE_TYPE_MISMATCH, ENOEXEC},
    {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
    {ERROR_INVALID_HANDLE, EBADF},
    {ERROR_INVALID_PARAMETER, EINVAL},
    {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
    {ERROR_OUTOFMEMORY, ENOMEM},
    {ERROR_COMMITMENT_LIMIT, ENOMEM},
    {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
    {ERROR_NO_SYSTEM_RESOURCES, ENFILE},
    {ERROR_BROKEN_PIPE, EPIPE},
    {ERROR_NO_DATA, EPIPE},
    {ERROR_PIPE_NOT_CONNECTED, EPIPE},
    {ERROR_PIPE_BUSY, EBUSY},
};

}  // namespace

int ErrnoOf(unsigned long error) noexcept {
	for (const Entry& entry : kNumbers) {
		if (entry.error == error) return entry.number;
	}
	return EIO;
}

SystemError LastError(const char* call, const std::string& subject) {
	const DWORD error = ::GetLastError();
	const std::string number = "Windows error " + std::to_string(error);
	return SystemError(call, ErrnoOf(error), subject.empty() ? number : subject + " (" + number + ")");
}

}  // namespace console

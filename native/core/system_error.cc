// Names and sentences for refused system calls. Node's own table is in libuv, which a Node-API addon does not link to.
#include "core/system_error.h"

#include <cerrno>
#include <system_error>

namespace console {
namespace {

struct Entry {
	int number;
	const char* name;
};

// The errors that the calls of the core and of the launcher can end with.
constexpr Entry kNames[] = {
    {EACCES, "EACCES"}, {EAGAIN, "EAGAIN"},   {EBADF, "EBADF"},     {EBUSY, "EBUSY"},   {ECHILD, "ECHILD"},
    {EEXIST, "EEXIST"}, {EFAULT, "EFAULT"},   {EINTR, "EINTR"},     {EINVAL, "EINVAL"}, {EIO, "EIO"},
    {EISDIR, "EISDIR"}, {ELOOP, "ELOOP"},     {EMFILE, "EMFILE"},   {ENFILE, "ENFILE"}, {ENAMETOOLONG, "ENAMETOOLONG"},
    {ENODEV, "ENODEV"}, {ENOENT, "ENOENT"},   {ENOEXEC, "ENOEXEC"}, {ENOMEM, "ENOMEM"}, {ENOSPC, "ENOSPC"},
    {ENOSYS, "ENOSYS"}, {ENOTDIR, "ENOTDIR"}, {ENOTTY, "ENOTTY"},   {ENXIO, "ENXIO"},   {EPERM, "EPERM"},
    {EPIPE, "EPIPE"},   {ESRCH, "ESRCH"},     {ETXTBSY, "ETXTBSY"}, {E2BIG, "E2BIG"},   {ECONNRESET, "ECONNRESET"},
};

std::string Sentence(const char* call, int number, const std::string& subject) {
	std::string text = call;
	if (!subject.empty()) text += " of " + subject;
	return text + " failed: " + std::generic_category().message(number);
}

}  // namespace

SystemError::SystemError(const char* call, int number, const std::string& subject)
    : std::runtime_error(Sentence(call, number, subject)), call_(call), number_(number) {}

std::string SystemError::Name() const {
	for (const Entry& entry : kNames) {
		if (entry.number == number_) return entry.name;
	}
	return "E" + std::to_string(number_);
}

}  // namespace console

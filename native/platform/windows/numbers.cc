// The numbers under which Node knows open files on Windows: entries of a table that its C runtime keeps, and that the
// addon, which has a C runtime of its own, reaches only through libuv. node.exe exports that for addons.
#include "addon/numbers.h"

#include <windows.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>

#include "errors.h"
#include "pipes.h"

namespace console {
namespace {

// UV_FS of uv.h: the kind of request that uv_fs_close takes.
constexpr int kFsRequest = 6;

// The functions of libuv that are needed, as its documentation has them.
struct Libuv {
	int (*open_osfhandle)(HANDLE);
	HANDLE (*get_osfhandle)(int);
	std::size_t (*req_size)(int);
	int (*fs_close)(void* loop, void* request, int file, void* callback);
	void (*fs_req_cleanup)(void* request);
};

template <typename Function>
void Find(Function& function, const char* name) {
	const FARPROC found = ::GetProcAddress(::GetModuleHandleW(nullptr), name);
	if (found == nullptr) throw SystemError("GetProcAddress", ENOSYS, std::string(name) + " of node.exe");
	std::memcpy(&function, &found, sizeof function);
}

const Libuv& NodesLibuv() {
	static const Libuv libuv = [] {
		Libuv functions{};
		Find(functions.open_osfhandle, "uv_open_osfhandle");
		Find(functions.get_osfhandle, "uv_get_osfhandle");
		Find(functions.req_size, "uv_req_size");
		Find(functions.fs_close, "uv_fs_close");
		Find(functions.fs_req_cleanup, "uv_fs_req_cleanup");
		return functions;
	}();
	return libuv;
}

Handle HandleUnder(int number) {
	const HANDLE handle = NodesLibuv().get_osfhandle(number);
	// -2 is what stands for a descriptor that leads nowhere.
	const bool none =
	    handle == INVALID_HANDLE_VALUE || handle == reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(-2));
	return none ? kNoHandle : handle;
}

// The names of our pipes are never used again (FNV-1a makes a number of one).
std::uint64_t NameOf(Handle pipe) noexcept {
	struct {
		FILE_NAME_INFO info;
		wchar_t more[MAX_PATH];
	} name{};
	if (!::GetFileInformationByHandleEx(pipe, FileNameInfo, &name, sizeof name)) return 0;
	const auto* bytes = reinterpret_cast<const unsigned char*>(name.info.FileName);
	std::uint64_t hash = 14695981039346656037ULL;
	for (DWORD index = 0; index < name.info.FileNameLength; ++index) hash = (hash ^ bytes[index]) * 1099511628211ULL;
	return hash;
}

}  // namespace

int GiveToNode(Descriptor descriptor) {
	const int number = NodesLibuv().open_osfhandle(descriptor.Get());
	if (number < 0) throw SystemError("uv_open_osfhandle", EMFILE);
	descriptor.Release();
	return number;
}

Handle FileUnder(int number) {
	const Handle handle = HandleUnder(number);
	if (handle == kNoHandle) throw SystemError("uv_get_osfhandle", EBADF);
	return handle;
}

std::optional<Identity> IdentityUnder(int number) noexcept {
	const Handle handle = HandleUnder(number);
	if (handle == kNoHandle) return std::nullopt;
	return Identity{reinterpret_cast<std::uintptr_t>(handle), NameOf(handle)};
}

void CloseNumber(int number) {
	platform::AbandonWriting(FileUnder(number));
	const Libuv& libuv = NodesLibuv();
	const auto request = std::make_unique<std::uint64_t[]>(libuv.req_size(kFsRequest) / sizeof(std::uint64_t) + 1);
	const int result = libuv.fs_close(nullptr, request.get(), number, nullptr);
	libuv.fs_req_cleanup(request.get());
	if (result < 0) throw SystemError("close", EBADF);
}

}  // namespace console

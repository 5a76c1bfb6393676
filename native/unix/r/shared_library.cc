#include "r/shared_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include "r/r_library.h"

namespace console::r {
namespace {

#ifdef __APPLE__
constexpr const char* kLibraryName = "libR.dylib";
#else
constexpr const char* kLibraryName = "libR.so";
#endif

}  // namespace

void* OpenR(const std::string& home) {
	const std::string path = home + "/lib/" + kLibraryName;
	if (::access(path.c_str(), R_OK) != 0) {
		throw LibraryError("the R at " + home + " has no shared library (" + path +
		                   "), which Console needs; install an R that was configured with --enable-R-shlib");
	}
	// Global: packages and Python's bridge look R's symbols up in the whole process.
	void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
	if (library == nullptr) throw LibraryError("the library of the R at " + home + " does not load: " + ::dlerror());
	return library;
}

void* FindEntry(void* library, const char* name) noexcept {
	return ::dlsym(library, name);
}

void* FindInPython(const char* name) noexcept {
	return ::dlsym(RTLD_DEFAULT, name);
}

}  // namespace console::r

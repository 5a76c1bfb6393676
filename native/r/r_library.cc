#include "r/r_library.h"

#include <dlfcn.h>
#include <unistd.h>

namespace console::r {
namespace {

#ifdef __APPLE__
constexpr const char* kLibraryName = "libR.dylib";
#else
constexpr const char* kLibraryName = "libR.so";
#endif

void* Open(const std::string& home) {
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

template <typename Pointer>
void LookUp(void* library, const char* name, Pointer& into) {
	void* found = ::dlsym(library, name);
	if (found == nullptr) throw LibraryError(std::string("this R has no ") + name + ": it is too old or not R");
	into = reinterpret_cast<Pointer>(found);
}

}  // namespace

Library::Library(const std::string& home) {
	void* library = Open(home);
	LookUp(library, "Rf_initialize_R", initialize);
	LookUp(library, "setup_Rmainloop", setup_main_loop);
	LookUp(library, "run_Rmainloop", run_main_loop);

	LookUp(library, "R_Interactive", interactive);
	LookUp(library, "R_SignalHandlers", signal_handlers);
	LookUp(library, "R_interrupts_pending", interrupts_pending);
	LookUp(library, "R_interrupts_suspended", interrupts_suspended);
	LookUp(library, "R_GlobalContext", global_context);
	LookUp(library, "R_Outputfile", output_file);
	LookUp(library, "R_Consolefile", console_file);
	LookUp(library, "R_InputHandlers", input_handlers);
	LookUp(library, "R_PolledEvents", polled_events);
	LookUp(library, "R_wait_usec", polling_interval);
	LookUp(library, "R_TempDir", temporary_folder);
	LookUp(library, "R_NilValue", nil_value);
	LookUp(library, "R_BaseEnv", base_environment);
	LookUp(library, "R_GlobalEnv", global_environment);

	LookUp(library, "ptr_R_ReadConsole", read_console);
	LookUp(library, "ptr_R_WriteConsole", write_console);
	LookUp(library, "ptr_R_WriteConsoleEx", write_console_marked);
	LookUp(library, "ptr_R_ResetConsole", reset_console);
	LookUp(library, "ptr_R_FlushConsole", flush_console);
	LookUp(library, "ptr_R_ClearerrConsole", clear_error_console);
	LookUp(library, "ptr_R_CleanUp", clean_up);
	LookUp(library, "ptr_R_Busy", busy);
	LookUp(library, "ptr_R_ShowMessage", show_message);

	LookUp(library, "R_CheckUserInterrupt", check_interrupt);
	LookUp(library, "R_ToplevelExec", top_level_exec);
	LookUp(library, "R_tryEvalSilent", try_eval);
	LookUp(library, "R_curErrorBuf", error_message);
	LookUp(library, "R_PreserveObject", preserve);
	LookUp(library, "Rf_protect", protect);
	LookUp(library, "Rf_unprotect", unprotect);
	LookUp(library, "Rf_install", install);
	LookUp(library, "Rf_lang1", call_of_one);
	LookUp(library, "Rf_lang2", call_of_two);
	LookUp(library, "Rf_lang3", call_of_three);
	LookUp(library, "Rf_ScalarInteger", integer);
	LookUp(library, "Rf_ScalarLogical", logical);
	LookUp(library, "Rf_asInteger", as_integer);
	LookUp(library, "Rf_length", length);
	LookUp(library, "INTEGER", integers);
	LookUp(library, "RAW", raw);
	LookUp(library, "TYPEOF", type_of);
	LookUp(library, "Rf_allocVector", allocate);
	LookUp(library, "STRING_ELT", element);
	LookUp(library, "SET_STRING_ELT", set_element);
	LookUp(library, "R_CHAR", characters);
	LookUp(library, "Rf_ScalarString", string_of);
	LookUp(library, "Rf_mkCharLenCE", encoded);
	LookUp(library, "Rf_error", raise);
	LookUp(library, "R_getEmbeddingDllInfo", embedding);
	LookUp(library, "R_registerRoutines", register_routines);
}

Value Library::Text(const std::string& text) const {
	const Value content = protect(encoded(text.data(), static_cast<int>(text.size()), kUtf8));
	const Value vector = string_of(content);
	unprotect(1);
	return vector;
}

}  // namespace console::r

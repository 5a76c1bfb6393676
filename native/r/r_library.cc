#include "r/r_library.h"

#include "r/shared_library.h"

namespace console::r {

Library::Library(const std::string& home) : library_(OpenR(home)) {
	LookUp("setup_Rmainloop", setup_main_loop);
	LookUp("run_Rmainloop", run_main_loop);

	LookUp("R_interrupts_pending", interrupts_pending);
	LookUp("R_interrupts_suspended", interrupts_suspended);
	LookUp("R_GlobalContext", global_context);
	LookUp("R_TempDir", temporary_folder);
	LookUp("R_NilValue", nil_value);
	LookUp("R_BaseEnv", base_environment);
	LookUp("R_GlobalEnv", global_environment);

	LookUp("R_CheckUserInterrupt", check_interrupt);
	LookUp("R_ToplevelExec", top_level_exec);
	LookUp("R_tryEvalSilent", try_eval);
	LookUp("R_curErrorBuf", error_message);
	LookUp("R_PreserveObject", preserve);
	LookUp("Rf_protect", protect);
	LookUp("Rf_unprotect", unprotect);
	LookUp("Rf_install", install);
	LookUp("Rf_lang1", call_of_one);
	LookUp("Rf_lang2", call_of_two);
	LookUp("Rf_lang3", call_of_three);
	LookUp("Rf_ScalarInteger", integer);
	LookUp("Rf_ScalarLogical", logical);
	LookUp("Rf_asInteger", as_integer);
	LookUp("Rf_length", length);
	LookUp("INTEGER", integers);
	LookUp("RAW", raw);
	LookUp("TYPEOF", type_of);
	LookUp("Rf_allocVector", allocate);
	LookUp("STRING_ELT", element);
	LookUp("SET_STRING_ELT", set_element);
	LookUp("R_CHAR", characters);
	LookUp("Rf_ScalarString", string_of);
	LookUp("Rf_mkCharLenCE", encoded);
	LookUp("Rf_error", raise);
	LookUp("R_getEmbeddingDllInfo", embedding);
	LookUp("R_registerRoutines", register_routines);
}

void* Library::Entry(const char* name) const {
	void* found = FindEntry(library_, name);
	if (found == nullptr) throw LibraryError(std::string("this R has no ") + name + ": it is too old or not R");
	return found;
}

Value Library::Text(const std::string& text) const {
	const Value content = protect(encoded(text.data(), static_cast<int>(text.size()), kUtf8));
	const Value vector = string_of(content);
	unprotect(1);
	return vector;
}

}  // namespace console::r

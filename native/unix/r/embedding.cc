#include "r/embedding.h"

#include <langinfo.h>
#include <string.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace console::r {
namespace {

constexpr int kDefaultSave = 3;  // SA_NOSAVE of R's Startup.h

// R reads and writes UTF-8 only in a locale that says so; a locale of C is for R what UTF-8 mode is for Python.
void UseUtf8() {
	std::setlocale(LC_ALL, "");
	if (std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0) return;
	::unsetenv("LC_ALL");
	::setenv("LC_CTYPE", "C.UTF-8", 1);
}

const std::string& Prepared(const std::string& home) {
	UseUtf8();
	std::setvbuf(stdout, nullptr, _IOLBF, 0);
	std::setvbuf(stdin, nullptr, _IONBF, 0);  // C code reads no further than it needs
	return home;
}

// Gives one of R's pointers a value.
template <typename Value>
void Set(const Library& library, const char* name, Value value) {
	Value* place = nullptr;
	library.LookUp(name, place);
	*place = value;
}

}  // namespace

Embedding::Embedding(const std::string& home) : home_(home), library_(Prepared(home)) {}

// R's own scripts, which have started this process, say it.
std::string Embedding::Version(const std::string&) {
	const char* version = std::getenv("R_VERSION");
	return version == nullptr || *version == '\0' ? "unknown" : version;
}

std::string Embedding::Program(const std::string& home) {
	return home + "/bin/R";
}

void Embedding::Initialise(const std::vector<std::string>& options, const Hooks& hooks) {
	std::vector<std::string> line{Program(home_), "--quiet", "--no-save", "--no-readline", "--interactive"};
	line.insert(line.end(), options.begin(), options.end());
	static std::vector<char*> words;
	for (const std::string& word : line) words.push_back(::strdup(word.c_str()));  // R keeps them
	words.push_back(nullptr);
	// Without R's own handlers: a crash ends the process instead of asking what to do.
	Set(library_, "R_SignalHandlers", 0);
	int (*initialise)(int, char**) = nullptr;
	library_.LookUp("Rf_initialize_R", initialise);
	initialise(static_cast<int>(words.size()) - 1, words.data());

	Set(library_, "R_Interactive", 1);
	Set<std::FILE*>(library_, "R_Outputfile", nullptr);
	Set<std::FILE*>(library_, "R_Consolefile", nullptr);
	Set<void (*)(const char*, int)>(library_, "ptr_R_WriteConsole", nullptr);
	Set(library_, "ptr_R_WriteConsoleEx", hooks.write);
	Set(library_, "ptr_R_ReadConsole", hooks.read);
	Set(library_, "ptr_R_ResetConsole", hooks.reset);
	Set(library_, "ptr_R_FlushConsole", hooks.flush);
	Set<void (*)()>(library_, "ptr_R_ClearerrConsole", [] {});
	void (**clean_up)(int, int, int) = nullptr;
	library_.LookUp("ptr_R_CleanUp", clean_up);
	clean_up_ = *clean_up;
	Set<void (*)(int)>(library_, "ptr_R_Busy", [](int) {});
	Set(library_, "ptr_R_ShowMessage", hooks.show);
}

void Embedding::CleanUp(int status, bool run_last) const {
	clean_up_(kDefaultSave, status, run_last ? 1 : 0);
}

}  // namespace console::r

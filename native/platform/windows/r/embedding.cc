// R for Windows is embedded through the structure that R_SetParams takes: R_ext/RStartup.h.
#include "r/embedding.h"

#include <windows.h>

#include <cstdio>
#include <cstring>

#include "r/folders.h"
#include "text.h"

namespace console::r {
namespace {

// The oldest R whose own encoding is UTF-8 here and that tells a front end of its return to the top level.
constexpr int kOldestMajor = 4;
constexpr int kOldestMinor = 2;

constexpr int kStructureVersion = 1;
constexpr int kRestoreNothing = 0;  // SA_NORESTORE
constexpr int kRestore = 1;         // SA_RESTORE
constexpr int kSaveNothing = 3;     // SA_NOSAVE
constexpr int kLinkDll = 2;         // LinkDLL: neither Rgui nor Rterm
constexpr int kLongestLine = 1024;

// What YesNoCancel returns.
constexpr int kYes = 1;
constexpr int kNo = -1;
constexpr int kCancel = 0;

// The structure in its version 1, as every R since 4.2 takes it. R 4.4 or so has given a name to what is `spare` here.
struct Startup {
	int quiet;
	int no_echo;
	int interactive;
	int verbose;
	int load_site_file;
	int load_init_file;
	int debug_init_file;
	int restore_action;
	int save_action;
	std::size_t vector_size;
	std::size_t node_size;
	std::size_t most_vector_size;
	std::size_t most_node_size;
	std::size_t protect_stack;
	short no_environment_files;
	short version;
	int spare;
	char* home;
	char* user_home;
	int (*read_console)(const char*, unsigned char*, int, int);
	void (*write_console)(const char*, int);
	void (*call_back)();
	void (*show_message)(const char*);
	int (*yes_no_cancel)(const char*);
	void (*busy)(int);
	int character_mode;
	void (*write_console_marked)(const char*, int, int);
	int emit_embedded_utf8;
	void (*clean_up)(int, int, int);
	void (*clear_error_console)();
	void (*flush_console)();
	void (*reset_console)();
	void (*suicide)(const char*);
	// For what a later R adds without asking for another version.
	void* more[16];
};

int (*read_line)(const char*, unsigned char*, int, int) = nullptr;

int AskYesNoCancel(const char* question) {
	unsigned char answer[kLongestLine] = "";
	read_line((std::string(question) + " [y/n/c]: ").c_str(), answer, sizeof answer, 0);
	if (answer[0] == 'y' || answer[0] == 'Y') return kYes;
	return answer[0] == 'n' || answer[0] == 'N' ? kNo : kCancel;
}

const std::string& NewEnough(const std::string& home) {
	const std::string version = Embedding::Version(home);
	int major = 0;
	int minor = 0;
	const bool known = std::sscanf(version.c_str(), "%d.%d", &major, &minor) == 2;
	if (known && (major < kOldestMajor || (major == kOldestMajor && minor < kOldestMinor))) {
		throw LibraryError("the R at " + home + " is " + version +
		                   ", and on Windows Console needs 4.2 or newer, whose text is UTF-8; install a newer R");
	}
	return home;
}

// A text that R keeps.
char* Kept(const std::string& text) {
	return ::_strdup(text.c_str());
}

// R takes paths with slashes only.
std::string WithSlashes(std::string path) {
	for (char& character : path) {
		if (character == '\\') character = '/';
	}
	return path;
}

// What C code of packages prints in R's own C runtime is not to wait in a buffer.
void UnbufferOutput() {
	using Stream = void*;
	constexpr int kUnbuffered = 0x0004;  // _IONBF
	const HMODULE runtime = ::GetModuleHandleW(L"ucrtbase.dll");
	if (runtime == nullptr) return;
	Stream (*stream)(unsigned) = nullptr;
	int (*set_buffer)(Stream, char*, int, std::size_t) = nullptr;
	const FARPROC found_stream = ::GetProcAddress(runtime, "__acrt_iob_func");
	const FARPROC found_buffer = ::GetProcAddress(runtime, "setvbuf");
	if (found_stream == nullptr || found_buffer == nullptr) return;
	std::memcpy(&stream, &found_stream, sizeof stream);
	std::memcpy(&set_buffer, &found_buffer, sizeof set_buffer);
	set_buffer(stream(0), nullptr, kUnbuffered, 0);
	set_buffer(stream(1), nullptr, kUnbuffered, 0);
}

template <typename Value>
void Set(const Library& library, const char* name, Value value) {
	Value* place = nullptr;
	library.LookUp(name, place);
	*place = value;
}

}  // namespace

Embedding::Embedding(const std::string& home) : home_(home), library_(NewEnough(home)) {
	UnbufferOutput();
}

// The description of R's base package has it.
std::string Embedding::Version(const std::string& home) {
	const std::wstring path = Wide(home + "\\library\\base\\DESCRIPTION");
	std::FILE* description = ::_wfopen(path.c_str(), L"rt");
	if (description == nullptr) return "unknown";
	char line[kLongestLine];
	char version[kLongestLine] = "unknown";
	while (std::fgets(line, sizeof line, description) != nullptr &&
	       std::sscanf(line, "Version: %1000s", version) != 1) {
	}
	std::fclose(description);
	return version;
}

std::string Embedding::Program(const std::string& home) {
	return ProgramsOf(home) + "\\R.exe";
}

void Embedding::Initialise(const std::vector<std::string>& options, const Hooks& hooks) {
	int (*set_defaults)(Startup*, int) = nullptr;
	void (*set)(Startup*) = nullptr;
	void (*set_start_time)() = nullptr;
	void (*set_command_line)(int, char**) = nullptr;
	char* (*user_home)() = nullptr;
	void (*read_console_settings)() = nullptr;
	library_.LookUp("R_DefParamsEx", set_defaults);
	library_.LookUp("R_SetParams", set);
	library_.LookUp("R_setStartTime", set_start_time);
	library_.LookUp("R_set_command_line_arguments", set_command_line);
	library_.LookUp("getRUser", user_home);
	library_.LookUp("readconsolecfg", read_console_settings);

	// Without R's own handlers: a crash ends the process instead of asking what to do.
	Set(library_, "R_SignalHandlers", 0);
	Set<void*>(library_, "R_Outputfile", nullptr);
	Set<void*>(library_, "R_Consolefile", nullptr);
	set_start_time();
	Startup startup{};
	if (set_defaults(&startup, kStructureVersion) != 0) {
		throw LibraryError("the R at " + home_ + " takes its settings in another form than Console gives them");
	}
	bool vanilla = false;
	for (const std::string& option : options) vanilla = vanilla || option == "--vanilla";
	read_line = hooks.read;
	startup.quiet = 1;
	startup.interactive = 1;
	startup.load_site_file = startup.load_init_file = vanilla ? 0 : 1;
	startup.no_environment_files = vanilla ? 1 : 0;
	startup.restore_action = vanilla ? kRestoreNothing : kRestore;
	startup.save_action = kSaveNothing;
	startup.home = Kept(WithSlashes(home_));
	startup.user_home = user_home();
	startup.character_mode = kLinkDll;
	startup.emit_embedded_utf8 = 0;
	startup.read_console = hooks.read;
	startup.write_console = nullptr;
	startup.write_console_marked = hooks.write;
	startup.call_back = [] {};
	startup.show_message = hooks.show;
	startup.yes_no_cancel = AskYesNoCancel;
	startup.busy = [](int) {};
	startup.clear_error_console = [] {};
	startup.flush_console = hooks.flush;
	startup.reset_console = hooks.reset;
	clean_up_ = startup.clean_up;
	set(&startup);

	static std::vector<char*> words{Kept(Program(home_)), Kept("--quiet"), Kept("--no-save"), Kept("--interactive")};
	for (const std::string& option : options) words.push_back(Kept(option));
	set_command_line(static_cast<int>(words.size()), words.data());
	// What R's windows need: plots of windows(), dialogues, the pager.
	if (const HMODULE graphics = ::GetModuleHandleW(L"Rgraphapp.dll"); graphics != nullptr) {
		int (*begin)(int, char**) = nullptr;
		const FARPROC found = ::GetProcAddress(graphics, "GA_initapp");
		std::memcpy(&begin, &found, sizeof begin);
		if (begin != nullptr) begin(0, nullptr);
	}
	read_console_settings();
}

void Embedding::CleanUp(int status, bool run_last) const {
	clean_up_(kSaveNothing, status, run_last ? 1 : 0);
}

}  // namespace console::r

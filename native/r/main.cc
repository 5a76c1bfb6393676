// The R host: the program between the server and an R, started as `R CMD console-r FOLDER PYTHON [--vanilla]`, so that
// R's own scripts have set up its environment. FOLDER and PYTHON are the folders of the runtime's R and Python code.
// docs/private-channel.md has what it is given and what it says.
#include <langinfo.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "r/channel.h"
#include "r/console.h"
#include "r/interrupts.h"
#include "r/output.h"
#include "r/percent.h"
#include "r/r_library.h"

namespace console::r {
namespace {

constexpr int kChannelNumber = 3;
constexpr int kExitUsage = 64;
// The Python that reticulate loads: the session's, or none.
constexpr const char* kInterpreter = "RETICULATE_PYTHON";

std::string Variable(const char* name) {
	const char* value = std::getenv(name);
	return value == nullptr ? std::string() : value;
}

// R reads and writes UTF-8 only in a locale that says so; a locale of C is for R what UTF-8 mode is for Python.
void UseUtf8() {
	std::setlocale(LC_ALL, "");
	if (std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0) return;
	::unsetenv("LC_ALL");
	::setenv("LC_CTYPE", "C.UTF-8", 1);
}

// What R takes for its command line: its first word is a program that starts R again.
std::vector<std::string> CommandLine(const std::string& home, int count, char** arguments) {
	std::vector<std::string> line{home + "/bin/R", "--quiet", "--no-save", "--no-readline", "--interactive"};
	for (int index = 0; index < count; ++index) line.emplace_back(arguments[index]);
	return line;
}

void Initialise(const Library& library, const std::vector<std::string>& line) {
	static std::vector<char*> words;
	for (const std::string& word : line) words.push_back(::strdup(word.c_str()));  // R keeps them
	words.push_back(nullptr);
	// Without R's own handlers: a crash ends the process instead of asking what to do.
	*library.signal_handlers = 0;
	library.initialize(static_cast<int>(words.size()) - 1, words.data());
}

[[noreturn]] void Serve(const std::string& folder, const std::string& python, int count, char** options) {
	static Output output;
	static Channel channel(kChannelNumber, output);
	const std::string home = Variable("R_HOME");
	const std::string version = Variable("R_VERSION");
	channel.Send("hello protocol=1 pid=" + std::to_string(::getpid()) + " language=r version=" +
	             (version.empty() ? "unknown" : version) + " executable=" + PercentEncoded(home + "/bin/R"));
	try {
		UseUtf8();
		std::setvbuf(stdout, nullptr, _IOLBF, 0);
		std::setvbuf(stdin, nullptr, _IONBF, 0);  // C code reads no further than it needs
		static const Library library(home);
		interrupts::Install(library);
		const std::string interpreter = Variable(kInterpreter);  // R's files of variables may name another
		Initialise(library, CommandLine(home, count, options));
		static Console console(library, channel, output, folder, python);
		console.Keep(kInterpreter, interpreter);
		console.Install();
		console.Run();
	} catch (const std::exception& error) {
		channel.Send("failed reason=" + PercentEncoded(error.what()));
		::_exit(1);
	}
}

}  // namespace
}  // namespace console::r

int main(int count, char** arguments) {
	if (count < 3 || std::getenv("R_HOME") == nullptr) {
		std::fputs("console-r is started by the Console server, through R CMD.\n", stderr);
		return console::r::kExitUsage;
	}
	console::r::Serve(arguments[1], arguments[2], count - 3, arguments + 3);
}

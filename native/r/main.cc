// The R host: the program between the server and an R, started as `console-r FOLDER PYTHON [--vanilla]` in the
// environment that the R at R_HOME needs: on UNIX through `R CMD`, so that R's own scripts have set it up. FOLDER and
// PYTHON are the folders of the runtime's R and Python code. docs/private-channel.md has what it is given and what it
// says.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "core/system_error.h"
#include "r/channel.h"
#include "r/console.h"
#include "r/embedding.h"
#include "r/interrupts.h"
#include "r/output.h"
#include "r/percent.h"
#include "r/process.h"

namespace console::r {
namespace {

constexpr int kExitUsage = 64;
constexpr int kExitFault = 70;
// The Python that reticulate loads: the session's, or none.
constexpr const char* kInterpreter = "RETICULATE_PYTHON";

void Greet(Channel& channel, const std::string& home) {
	const std::string version = Embedding::Version(home);
	channel.Send("hello protocol=1 pid=" + std::to_string(ProcessNumber()) + " language=r version=" +
	             PercentEncoded(version) + " executable=" + PercentEncoded(Embedding::Program(home)));
}

[[noreturn]] void Serve(const std::string& home, const std::string& folder, const std::string& python,
                        const std::vector<std::string>& options) {
	static Output output;
	static Channel channel(output);
	Greet(channel, home);
	try {
		static Embedding embedding(home);
		interrupts::Install(embedding.GetLibrary());
		const std::string interpreter = Variable(kInterpreter);  // R's files of variables may name another
		static Console console(embedding, channel, output, {folder, python, interpreter});
		embedding.Initialise(options, Console::HooksOfR());
		console.Run();
	} catch (const std::exception& error) {
		channel.Send("failed reason=" + PercentEncoded(error.what()));
		ExitNow(1);
	}
}

}  // namespace
}  // namespace console::r

int main(int count, char** words) {
	const std::vector<std::string> arguments = console::r::Arguments(count, words);
	const std::string home = console::r::Variable("R_HOME");
	if (arguments.size() < 3 || home.empty()) {
		std::fputs("console-r is started by the Console server.\n", stderr);
		return console::r::kExitUsage;
	}
	try {
		console::r::Serve(home, arguments[1], arguments[2], {arguments.begin() + 3, arguments.end()});
	} catch (const console::SystemError& error) {
		std::fprintf(stderr, "%s\n", error.what());
		return console::r::kExitFault;
	}
}

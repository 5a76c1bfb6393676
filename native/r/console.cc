#include "r/console.h"

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "r/interrupts.h"
#include "r/percent.h"
#include "r/process.h"
#include "r/routines.h"

namespace console::r {
namespace {

constexpr int kTerminatedStatus = 143;
constexpr const char* kNul = "Error: the source has a NUL character, which R cannot read: none of it was run\n";
constexpr const char* kFeed = ".console_expr\n";
// The number under which the server interrupts the configured startup code: cells count from 1.
constexpr std::int64_t kStartup = 0;

// How R's record of a context begins (RCNTXT of its Defn.h), in every version.
struct Context {
	const Context* next;
	int kind;
};
constexpr int kTopLevel = 0;  // CTXT_TOPLEVEL

Console* the_console = nullptr;

}  // namespace

Console& TheConsole() {
	if (the_console == nullptr) throw std::logic_error("there is no console");
	return *the_console;
}

Console::Console(const Embedding& embedding, Channel& channel, Output& output, const Places& places)
    : embedding_(embedding),
      library_(embedding.GetLibrary()),
      channel_(channel),
      output_(output),
      code_(library_, [this](const char* text) { output_.Write(2, text); }),
      bridge_(library_, channel, output, places.python),
      events_(library_),
      places_(places) {
	the_console = this;
}

Hooks Console::HooksOfR() {
	Hooks hooks{};
	hooks.write = [](const char* text, int length, int marked) {
		const std::string_view piece(text, length < 0 ? std::strlen(text) : static_cast<std::size_t>(length));
		the_console->output_.Write(marked != 0 ? 2 : 1, piece);
	};
	hooks.read = [](const char* prompt, unsigned char* buffer, int size, int) {
		return the_console->Read(prompt, buffer, size);
	};
	hooks.reset = [] { the_console->reset_ = the_console->reset_ || the_console->LeavesForLoop(); };
	hooks.flush = [] { the_console->output_.Release(); };
	hooks.show = [](const char* text) { the_console->output_.Write(2, std::string(text) + "\n"); };
	return hooks;
}

void Console::Run() {
	interrupts::Open();
	std::atexit([] { the_console->AtExit(); });
	library_.setup_main_loop();
	top_level_ = *library_.global_context;
	library_.run_main_loop();
	// R's loop ends at the end of its input only, which never comes: Quit has ended the process.
	std::abort();
}

void Console::AtExit() {
	if (!channel_.IsOurs()) return;
	bridge_.Finish();
	output_.Release();
}

int Console::Read(const char* prompt, unsigned char* buffer, int size) {
	const bool at_top_level = top_level_ != nullptr && *library_.global_context == top_level_;
	if (at_top_level) return ReadTopLevel(buffer);
	return channel_.IsOurs() ? ReadManaged(prompt, buffer, size) : ReadInChild(prompt, buffer, size);
}

int Console::ReadTopLevel(unsigned char* buffer) {
	if (phase_ == Phase::kStarting) StartServing();
	for (;;) {
		const bool running = !cell_.verb.empty();
		if (running && !reset_ && Feed(buffer)) return 1;
		if (!channel_.IsOurs()) EndChild();
		if (running) Finish();
		reset_ = false;
		if (channel_.ending || interrupts::Terminated()) Quit();
		if (channel_.tasks.empty()) {
			Idle();
		} else {
			const Frame frame = std::move(channel_.tasks.front());
			channel_.tasks.pop_front();
			Begin(frame);
		}
	}
}

// Whether what R is unwinding for, an error for instance, ends in its loop. That of a finalizer or of a task callback,
// or where C code has R stop it (R_ToplevelExec), ends before, and the cell goes on.
bool Console::LeavesForLoop() const {
	const auto* context = static_cast<const Context*>(*library_.global_context);
	while (context != nullptr && context->kind != kTopLevel) context = context->next;
	return context == nullptr || context->next == nullptr;
}

void Console::StartServing() {
	if (channel_.ending || interrupts::Terminated()) Quit();
	if (reset_)
		Fail(
		    "R's own startup did not run to its end: an error or an interrupt has ended a profile, .First or the "
		    "loading of .RData; fix that, then restart");
	phase_ = Phase::kServing;
	interrupts::Close();
	RegisterRoutines(library_);
	try {
		code_.Load(places_.r, places_.interpreter);
	} catch (const LibraryError& error) {
		Fail(error.what());
	}
	const Value facts = code_.Call("bootstrapped");
	const std::string keys = library_.characters(library_.element(facts, 0));
	channel_.Send("bootstrapped " + keys + " temporary=" + PercentEncoded(*library_.temporary_folder));
}

void Console::Begin(const Frame& frame) {
	if (frame.verb == "libraries") {
		code_.Call("place_libraries", frame.body);
		return;
	}
	if (frame.verb == "activate") return Activate(frame);
	const bool startup = frame.verb == "startup";
	if (startup || frame.verb == "begin") {
		code_.Call("install_packages", frame.Text("r_packages"));
		code_.Call("install_declarations", frame.Text("packages"));
		bridge_.Begin(frame);
	}
	if (frame.verb == "begin") return channel_.Send("ready");
	const std::int64_t id = startup ? kStartup : frame.Number("id");
	if (interrupts::TakeArrived()) {
		channel_.AbsorbWaiting();
		if (channel_.interrupted == id) {
			if (startup) Fail("the configured startup code was interrupted before it began");
			// As each language says of code that an interrupt has ended.
			output_.Write(2, frame.Text("language") == "python" ? "KeyboardInterrupt\n" : "\n");
			output_.Release();
			return channel_.Send("done id=" + std::to_string(id));
		}
	}
	cell_ = frame;
	interrupts::Open();
	BeginSource(frame.Text("language"), startup ? "<startup>" : "<cell " + std::to_string(id) + ">");
}

std::string Console::ActivatePython(const std::string& id, const std::string& body) {
	if (bridge_.IsRunning()) return bridge_.Activate(id, body);
	channel_.Send("activated id=" + id);
	return {};
}

void Console::Activate(const Frame& frame) {
	const std::string id = frame.Text("id");
	if (frame.Text("language") != "r") {
		ActivatePython(id, frame.body);
		return;
	}
	const Value said = code_.Call("activate_libraries", frame.body);
	const std::string reason = said == *library_.nil_value ? "R could not put the prepared library in its place"
	                                                       : library_.characters(library_.element(said, 0));
	if (reason.empty()) return channel_.Send("activated id=" + id);
	channel_.Send("refused id=" + id, reason);
}

void Console::BeginSource(const std::string& language, const std::string& name) {
	input_.MakeUsable();  // a Python beside this R may have been in the terminal's foreground
	next_ = 0;
	python_failed_ = false;
	if (language != "python" && cell_.body.find('\0') != std::string::npos) {
		output_.Write(2, kNul);
		reset_ = true;
		return;
	}
	const bool sql = language == "sql";
	Value count = nullptr;
	if (language == "python" || (sql && cell_.Text("owner") == "python")) {
		count = code_.Call("begin_python");
	} else if (sql) {
		count = code_.Call("begin_sql", cell_.body, cell_.Text("connection"));
	} else {
		count = code_.Call("begin_cell", cell_.body, name);
	}
	expressions_ = library_.as_integer(count);
	// A source that does not parse has been answered for, and none of it runs. (What is no number is R's NA, and
	// negative.)
	if (expressions_ < 0) reset_ = true;
}

bool Console::Feed(unsigned char* buffer) {
	if (next_ >= expressions_) return false;
	// One that was put off until now is for the rest of the cell: R itself would not look for some time.
	if (interrupts::IsPending()) library_.check_interrupt();
	// What could not be put there is not run, nor what was there before: the error has been told.
	if (code_.Call("feed", ++next_) == *library_.nil_value) {
		reset_ = true;
		return false;
	}
	std::strcpy(reinterpret_cast<char*>(buffer), kFeed);
	return true;
}

void Console::RunPython() {
	const bool startup = cell_.verb == "startup";
	const std::string name = startup ? "<startup>" : "<cell " + cell_.Text("id") + ">";
	if (!bridge_.IsRunning()) code_.Call("start_python");
	python_failed_ =
	    !bridge_.IsRunning() || !bridge_.Evaluate(cell_.body, name, cell_.Text("language"), cell_.Text("connection"));
}

void Console::Finish() {
	code_.Call("end_cell");
	if (cell_.Text("language") != "python") bridge_.EndCell();
	output_.Release();
	output_.TellLost();
	if (channel_.ending || interrupts::Terminated()) Quit();  // it was ended, and has not come to its end
	interrupts::Close();
	const Frame cell = std::exchange(cell_, Frame());
	if (cell.verb != "startup") return channel_.Send("done id=" + cell.Text("id"));
	if (reset_ || python_failed_) Fail("the configured startup code ended with an error");
	channel_.Send("ready");
}

void Console::Idle() {
	if ((Wait(nullptr, Events::kForEver) & Events::kChannel) != 0) channel_.Absorb();
}

// A fork child that has come to the end of its cell has nothing more to do.
void Console::EndChild() {
	output_.Release();
	ExitNow(reset_ ? 1 : 0);
}

// Waits as Events does, while other threads may use Python, and has R serve what packages have asked it to watch.
// Returns what is there.
unsigned Console::Wait(const Input* input, int timeout) {
	const unsigned ready = bridge_.Unlocked([&] { return events_.Wait(channel_.End(), input, timeout); });
	if ((ready & Events::kHandlers) != 0) RunHandlers();
	return ready;
}

// Runs the handlers of what is ready. What they raise ends them and nothing else.
void Console::RunHandlers() {
	const bool idle = cell_.verb.empty() && phase_ == Phase::kServing;
	if (idle) interrupts::Open();
	library_.Contain([this] { events_.RunHandlers(); });
	if (!channel_.IsOurs()) EndChild();
	if (idle) {
		code_.Call("end_idle");
		bridge_.EndCell();
		interrupts::Close();
	}
	output_.Release();
}

void Console::Fail(const std::string& reason) {
	channel_.Send("failed reason=" + PercentEncoded(reason));
	phase_ = Phase::kQuitting;
	output_.Release();
	ExitNow(1);
}

void Console::Quit() {
	const bool again = phase_ == Phase::kQuitting;
	phase_ = Phase::kQuitting;
	cell_ = Frame();
	const int status = interrupts::Terminated() && !channel_.ending ? kTerminatedStatus : 0;
	interrupts::Drop();
	// .Last may fail, which brings R back to its loop and here: then without it.
	embedding_.CleanUp(status, !again);
	std::exit(status);
}

}  // namespace console::r

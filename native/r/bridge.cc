#include "r/bridge.h"

#include <atomic>
#include <cstddef>

#include "r/forks.h"
#include "r/interrupts.h"
#include "r/process.h"

namespace console::r {
namespace {

constexpr int kWithoutArguments = 4;  // METH_NOARGS
constexpr int kWithArguments = 1;     // METH_VARARGS
constexpr int kFileInput = 257;       // Py_file_input

// What the functions below work on: Python calls them without any argument that could lead to it.
struct Shared {
	const Library* library = nullptr;
	Channel* channel = nullptr;
	Output* output = nullptr;
	const PythonLibrary* python = nullptr;
	// Python holds text that comes before any of R's.
	std::atomic<bool> holding{false};
} shared;

// While it exists, other threads of Python may run, and this one does not touch Python.
class LockReleased {
public:
	LockReleased() : state_(shared.python->save_thread()) {}
	~LockReleased() { shared.python->restore_thread(state_); }
	LockReleased(const LockReleased&) = delete;
	LockReleased& operator=(const LockReleased&) = delete;

private:
	void* state_;
};

PythonObject Nothing() {
	return shared.python->build("");
}

PythonObject Flag(bool value) {
	return shared.python->build("i", value ? 1 : 0);
}

// absorb(): takes in what the server has said, waiting if it has said nothing.
PythonObject Absorb(PythonObject, PythonObject) {
	{
		const LockReleased released;
		shared.channel->Absorb();
	}
	return Nothing();
}

// state(): (epoch, cell that was interrupted, whether the session ends).
PythonObject State(PythonObject, PythonObject) {
	const Channel& channel = *shared.channel;
	return shared.python->build("LLi", static_cast<long long>(channel.epoch),
	                            static_cast<long long>(channel.interrupted), channel.ending ? 1 : 0);
}

// send(header, body): sends an event.
PythonObject Send(PythonObject, PythonObject arguments) {
	const char* header = nullptr;
	const char* body = nullptr;
	std::ptrdiff_t size = 0;
	if (shared.python->parse(arguments, "sy#", &header, &body, &size) == 0) return nullptr;
	shared.channel->Send(header, {body, static_cast<std::size_t>(size)});
	return Nothing();
}

// A verb, keys and a body, which Python gives the functions that follow.
struct Message {
	const char* verb = nullptr;
	const char* keys = nullptr;
	const char* bytes = nullptr;
	ssize_t size = 0;

	// Takes the arguments of a call. Returns false, with Python's exception set, when they are others.
	bool Read(PythonObject arguments) {
		return shared.python->parse(arguments, "ssy#", &verb, &keys, &bytes, &size) != 0;
	}
	std::string_view Body() const { return {bytes, static_cast<std::size_t>(size)}; }
};

// place(verb, keys, body): sends an event with a place in the text.
PythonObject Place(PythonObject, PythonObject arguments) {
	Message message;
	if (!message.Read(arguments)) return nullptr;
	{
		const LockReleased released;
		shared.channel->Place(message.verb, message.keys, message.Body());
	}
	return Nothing();
}

// ask(verb, keys, body): sends a question. Returns the answer's verb, its number and its body; None when the session
// ends.
PythonObject Ask(PythonObject, PythonObject arguments) {
	Message message;
	if (!message.Read(arguments)) return nullptr;
	std::optional<Frame> answer;
	{
		const LockReleased released;
		answer = shared.channel->Ask(message.verb, message.keys, message.Body());
	}
	if (!answer) return Nothing();
	const auto length = static_cast<std::ptrdiff_t>(answer->body.size());
	const auto number = static_cast<long long>(shared.channel->LastQuestion());
	return shared.python->build("sLy#", answer->verb.c_str(), number, answer->body.data(), length);
}

// release(): writes out the text that R holds.
PythonObject Release(PythonObject, PythonObject) {
	shared.output->ReleaseHeld();
	return Nothing();
}

// holding(): Python has begun to hold text.
PythonObject Holding(PythonObject, PythonObject) {
	shared.holding = true;
	return Nothing();
}

// Whether an interrupt waits for one of the two. One that R must not take up now is not Python's either.
bool InterruptPends() {
	return interrupts::IsPending() && *shared.library->interrupts_suspended == 0;
}

// interrupt_pending(): whether R has not taken up the interrupt that came.
PythonObject InterruptPending(PythonObject, PythonObject) {
	return Flag(InterruptPends());
}

// take_interrupt(): the same, and from then on, Python has.
PythonObject TakeInterrupt(PythonObject, PythonObject) {
	const bool pends = InterruptPends();
	if (pends) interrupts::Drop();
	return Flag(pends);
}

// mark_interrupt(): what Python marks as an interrupt without a signal is one for R too.
PythonObject MarkInterrupt(PythonObject, PythonObject) {
	interrupts::Mark();
	return Nothing();
}

// is_open(): whether something runs that an interrupt would be for.
PythonObject IsOpen(PythonObject, PythonObject) {
	return Flag(interrupts::IsOpen());
}

// guard(signal): has this signal come to both interpreters again, after Python has set a handler.
PythonObject Guard(PythonObject, PythonObject arguments) {
	int number = 0;
	if (shared.python->parse(arguments, "i", &number) == 0) return nullptr;
	interrupts::InstallAgain(number);
	return Nothing();
}

// enter_fork(): Python's hooks of a fork begin.
PythonObject EnterFork(PythonObject, PythonObject) {
	forks::Enter();
	return Nothing();
}

// leave_fork(): they are over.
PythonObject LeaveFork(PythonObject, PythonObject) {
	forks::Leave();
	return Nothing();
}

// environment(): the environment of the process, each variable with a NUL after it.
PythonObject Environment(PythonObject, PythonObject) {
	const std::string text = EnvironmentText();
	return shared.python->build("y#", text.data(), static_cast<std::ptrdiff_t>(text.size()));
}

const PythonMethod kMethods[] = {
    {"absorb", Absorb, kWithoutArguments, "Takes in what the server has said, waiting if it has said nothing."},
    {"state", State, kWithoutArguments,
     "Returns the epoch of the input, the interrupted cell, and whether the session ends."},
    {"send", Send, kWithArguments, "Takes the header and the body of an event, and sends it."},
    {"place", Place, kWithArguments,
     "Takes verb, keys and body of an event, and returns when it has its place in the text."},
    {"ask", Ask, kWithArguments,
     "Takes verb, keys and body of a question. Returns verb, number and body of the answer."},
    {"release", Release, kWithoutArguments, "Writes out the text that R holds."},
    {"holding", Holding, kWithoutArguments, "Tells that Python has begun to hold text, which comes before R's."},
    {"take_interrupt", TakeInterrupt, kWithoutArguments, "Returns whether an interrupt is pending, and takes it up."},
    {"interrupt_pending", InterruptPending, kWithoutArguments, "Returns whether an interrupt is pending."},
    {"mark_interrupt", MarkInterrupt, kWithoutArguments, "Marks an interrupt as pending."},
    {"is_open", IsOpen, kWithoutArguments, "Returns whether something runs that an interrupt would be for."},
    {"guard", Guard, kWithArguments, "Takes the number of a signal, and has it come to both interpreters again."},
    {"enter_fork", EnterFork, kWithoutArguments, "Tells that the hooks of a fork begin."},
    {"leave_fork", LeaveFork, kWithoutArguments, "Tells that the hooks of a fork are over."},
    {"environment", Environment, kWithoutArguments, "Returns the environment, each variable with a NUL after it."},
};

// The start-up code of lib/runtime/python, which finds the runtime's modules; `file` is its path.
constexpr const char* kStart =
    "with open(file) as source:\n"
    "    code = compile(source.read(), file, 'exec')\n"
    "space = {'__name__': '_console_embedded', 'file': file}\n"
    "exec(code, space)\n"
    "embedded = space['embed'](file.rpartition('/')[0], imports, packages, duckdb)\n"
    "evaluate, activate, settle = embedded.evaluate, embedded.activate, embedded.settle\n"
    "end_cell, release, finish = embedded.end_cell, embedded.release, embedded.finish\n";

}  // namespace

Bridge::Bridge(const Library& library, Channel& channel, Output& output, const std::string& folder)
    : library_(library), channel_(channel), output_(output), folder_(folder) {}

std::string Bridge::Attach() {
	const std::string missing = python_.LookUp();
	if (!missing.empty())
		return "the Python that reticulate has started has no " + missing + ": Console needs 3.10 or newer";
	const int lock = python_.ensure();
	shared.library = &library_;
	shared.channel = &channel_;
	shared.output = &output_;
	shared.python = &python_;
	const PythonObject module = python_.add_module("_console_host");
	for (const PythonMethod& method : kMethods) {
		python_.set_attribute(module, method.name, python_.function(&method, nullptr, nullptr));
	}
	const PythonObject space = python_.dictionary();
	python_.set_item(space, "__builtins__", python_.builtins());
	python_.set_item(space, "file", python_.build("s", (folder_ + "/start.py").c_str()));
	for (const char* key : {"imports", "packages", "duckdb"}) {
		python_.set_item(space, key, python_.build("s", beginning_.Text(key).c_str()));
	}
	const PythonObject code = python_.compile(kStart, "<console>", kFileInput);
	const PythonObject result = code == nullptr ? nullptr : python_.run_code(code, space, space);
	std::string failure;
	if (result == nullptr) {
		python_.show_error();
		failure = "the Python runtime could not be loaded";
	} else {
		evaluate_ = python_.item(space, "evaluate");
		activate_ = python_.item(space, "activate");
		settle_ = python_.item(space, "settle");
		end_cell_ = python_.item(space, "end_cell");
		release_ = python_.item(space, "release");
		finish_ = python_.item(space, "finish");
		output_.Before([this] {
			if (shared.holding.exchange(false)) Run(release_);
		});
	}
	python_.release(lock);
	return failure;
}

bool Bridge::Evaluate(const std::string& source, const std::string& name, const std::string& language,
                      const std::string& connection) {
	const int lock = python_.ensure();
	const auto size = static_cast<std::ptrdiff_t>(source.size());
	const PythonObject result =
	    python_.call(evaluate_, "s#sss", source.data(), size, name.c_str(), language.c_str(), connection.c_str());
	const bool succeeded = result != nullptr && python_.is_true(result) != 0;
	if (result == nullptr) {
		python_.show_error();
	} else {
		python_.forget(result);
	}
	python_.release(lock);
	return succeeded;
}

std::string Bridge::Activate(const std::string& number, const std::string& body) {
	const bool in_cell = interrupts::IsOpen();
	interrupts::Open();
	const int lock = python_.ensure();
	std::string reason;
	const auto size = static_cast<std::ptrdiff_t>(body.size());
	if (const PythonObject said = python_.call(activate_, "sy#", number.c_str(), body.data(), size)) {
		const char* text = python_.text(said, nullptr);
		reason = text == nullptr ? "" : text;
		python_.forget(said);
	} else {
		python_.show_error();
		reason = "the Python runtime has failed to put the packages in their place";
		channel_.Send("refused id=" + number, reason);
	}
	python_.release(lock);
	if (!in_cell) interrupts::Close();
	return reason;
}

void Bridge::Settle() {
	if (settle_ == nullptr) return;
	interrupts::SharedWithPython(python_.interrupt);
	Run(settle_);
	if (!running_) forks::SharedWithPython(python_);
	running_ = true;
}

void Bridge::EndCell() {
	if (IsRunning()) Run(end_cell_);
}

void Bridge::Finish() {
	if (!IsRunning() || finished_) return;
	finished_ = true;
	Run(finish_);
	forks::Alone();
	// No other thread of Python's goes on from here: what it works on is about to be taken down.
	python_.ensure();
}

void Bridge::Run(PythonObject function) {
	const int lock = python_.ensure();
	if (const PythonObject done = python_.call(function, nullptr)) {
		python_.forget(done);
	} else {
		python_.show_error();
	}
	python_.release(lock);
}

}  // namespace console::r

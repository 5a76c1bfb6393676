// R's console: the hooks by which R asks and answers, between R's own main loop and the private channel.
#pragma once

#include <cstdint>
#include <string>

#include "core/frames.h"
#include "r/bridge.h"
#include "r/channel.h"
#include "r/code.h"
#include "r/embedding.h"
#include "r/events.h"
#include "r/input.h"
#include "r/output.h"
#include "r/r_library.h"

namespace console::r {

// What the host was told about the runtime's code.
struct Places {
	// The folders of its R and of its Python code.
	std::string r;
	std::string python;
	// The Python that reticulate is to load, whatever R's files of variables say; empty for none.
	std::string interpreter;
};

// R's main loop asks here for what it should evaluate next, and everything else that reads from a console asks here
// too: the first is answered with the cells of the session, the others are managed reads. There is one in a process.
class Console {
public:
	Console(const Embedding& embedding, Channel& channel, Output& output, const Places& places);

	// The console as R calls it, once there is one.
	static Hooks HooksOfR();
	// R is ready to read its profiles and to loop. Does not return.
	[[noreturn]] void Run();
	// Runs the Python cell that was begun last; R calls it as the cell's expression.
	void RunPython();
	// Fit the Python that reticulate is starting to the session, and what it does last. Attach returns an empty text,
	// or why that cannot be done.
	std::string AttachPython() { return bridge_.Attach(); }
	void SettlePython() { bridge_.Settle(); }
	void FinishPython() { bridge_.Finish(); }
	// Has Python put packages in their place, as an `activate` with this number and body asks, and answers the server.
	// A Python that has not started yet finds them when it does. Returns an empty text, or why nothing has changed.
	std::string ActivatePython(const std::string& id, const std::string& body);
	// Writes out and ends what lives outside R: before the process exits.
	void AtExit();
	Channel& GetChannel() noexcept { return channel_; }
	const Library& GetLibrary() const noexcept { return library_; }

private:
	enum class Phase { kStarting, kServing, kQuitting };

	int Read(const char* prompt, unsigned char* buffer, int size);
	int ReadTopLevel(unsigned char* buffer);
	int ReadManaged(const char* prompt, unsigned char* buffer, int size);
	int ReadInChild(const char* prompt, unsigned char* buffer, int size);
	bool AwaitInput();
	void EndRead();
	void Unwind();

	bool LeavesForLoop() const;
	void StartServing();
	void Begin(const Frame& frame);
	void Activate(const Frame& frame);
	void BeginSource(const std::string& language, const std::string& name);
	bool Feed(unsigned char* buffer);
	void Finish();
	void Idle();
	unsigned Wait(const Input* input, int timeout);
	void RunHandlers();
	[[noreturn]] void EndChild();
	[[noreturn]] void Fail(const std::string& reason);
	[[noreturn]] void Quit();

	const Embedding& embedding_;
	const Library& library_;
	Channel& channel_;
	Output& output_;
	Input input_;
	Code code_;
	Bridge bridge_;
	Events events_;
	Places places_;

	Phase phase_ = Phase::kStarting;
	void* top_level_ = nullptr;
	// R has returned to its top level since the last feed: an error, an interrupt or `Q`.
	bool reset_ = false;

	// The cell that runs, as its frame was; its verb is empty when none does.
	Frame cell_;
	int expressions_ = 0;
	int next_ = 0;
	bool python_failed_ = false;

	std::int64_t reads_ = 0;
	bool announced_ = false;
	// The line of the managed read goes on: the last piece filled the buffer.
	bool continued_ = false;
	bool released_ = false;
};

// The console of this process. Throws std::logic_error when there is none.
Console& TheConsole();

}  // namespace console::r

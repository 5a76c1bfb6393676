// R's console: the hooks by which R asks and answers, between R's own main loop and the private channel.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/frames.h"
#include "r/bridge.h"
#include "r/channel.h"
#include "r/code.h"
#include "r/input.h"
#include "r/output.h"
#include "r/r_library.h"

namespace console::r {

// R's main loop asks here for what it should evaluate next, and everything else that reads from a console asks here
// too: the first is answered with the cells of the session, the others are managed reads. There is one in a process.
class Console {
public:
	// `folder` is that of the runtime's R code, `python` that of its Python code.
	Console(const Library& library, Channel& channel, Output& output, const std::string& folder,
	        const std::string& python);

	// Has a variable of the environment be what it was before R read its files, once those are done: unset when `value`
	// is empty.
	void Keep(const char* name, const std::string& value) { kept_ = {name, value}; }
	// Sets R's hooks. After R's own initialisation, before it reads its profiles.
	void Install();
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
	// What Wait finds, as a set.
	enum Ready : unsigned { kChannel = 1, kInput = 2 };
	static constexpr int kForEver = -1;
	enum class Phase { kStarting, kServing, kQuitting };

	int Read(const char* prompt, unsigned char* buffer, int size);
	int ReadTopLevel(unsigned char* buffer);
	int ReadManaged(const char* prompt, unsigned char* buffer, int size);
	int ReadInChild(const char* prompt, unsigned char* buffer, int size);
	bool AwaitInput();
	void EndRead();
	void Unwind();

	void StartServing();
	void Begin(const Frame& frame);
	void Activate(const Frame& frame);
	void BeginSource(const std::string& language, const std::string& name);
	bool Feed(unsigned char* buffer);
	void Finish();
	void Idle();
	unsigned Wait(bool for_input, int timeout);
	void RunHandlers();
	[[noreturn]] void EndChild();
	[[noreturn]] void Fail(const std::string& reason);
	[[noreturn]] void Quit();

	const Library& library_;
	Channel& channel_;
	Output& output_;
	Input input_;
	Code code_;
	Bridge bridge_;
	std::string folder_;
	std::pair<const char*, std::string> kept_{nullptr, {}};

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

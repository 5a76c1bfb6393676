// Python in R's process: reticulate starts it, the runtime's own Python code (lib/runtime/python) evaluates cells in
// it.
#pragma once

#include <string>

#include "core/frames.h"
#include "r/channel.h"
#include "r/output.h"
#include "r/python_library.h"
#include "r/r_library.h"

namespace console::r {

// The two interpreters share the main thread, the private channel, the terminal and the signals of the process.
class Bridge {
public:
	// `folder` is that of the runtime's Python code.
	Bridge(const Library& library, Channel& channel, Output& output, const std::string& folder);

	bool IsRunning() const noexcept { return running_; }
	// Takes the frame that begins the session: what Python is told of it when it starts.
	void Begin(const Frame& frame) { beginning_ = frame; }
	// Fits the Python that reticulate is starting to the session. Returns an empty text, or why that cannot be done.
	std::string Attach();
	// The same for what reticulate does last: from now on, signals come to Python too.
	void Settle();
	// Runs a cell in `__main__`, under its name in tracebacks; `connection` is what an SQL cell runs over. Returns
	// whether it ran to its end without an exception. What it raises is shown.
	bool Evaluate(const std::string& source, const std::string& name, const std::string& language,
	              const std::string& connection);
	// Has Python put packages in their place, as an `activate` with this number and body asks, and answer the server.
	// Returns an empty text, or why nothing has changed.
	std::string Activate(const std::string& number, const std::string& body);
	// A cell of R's is over: what Python code that it has called leaves behind is shown.
	void EndCell();
	// Ends Python in an orderly way, once, before the process ends.
	void Finish();

	// Calls `wait` while other threads may use Python, if this one holds it.
	template <typename Function>
	auto Unlocked(Function wait) {
		void* state = IsRunning() && python_.holds_lock() != 0 ? python_.save_thread() : nullptr;
		const auto result = wait();
		if (state != nullptr) python_.restore_thread(state);
		return result;
	}

private:
	// Calls one of the functions below. What it raises is shown.
	void Run(PythonObject function);

	const Library& library_;
	Channel& channel_;
	Output& output_;
	std::string folder_;
	Frame beginning_;
	PythonLibrary python_;
	PythonObject evaluate_ = nullptr;
	PythonObject activate_ = nullptr;
	PythonObject settle_ = nullptr;
	PythonObject end_cell_ = nullptr;
	PythonObject release_ = nullptr;
	PythonObject finish_ = nullptr;
	bool running_ = false;
	bool finished_ = false;
};

}  // namespace console::r

// How R is embedded: "Writing R Extensions", chapter 8. The two families of systems have interfaces of their own.
#pragma once

#include <string>
#include <vector>

#include "r/r_library.h"

namespace console::r {

// What R's console is: R calls these.
struct Hooks {
	// Reads a line into a buffer of `size` bytes; the last argument is meaningless. Returns 0 at the end of input.
	int (*read)(const char* prompt, unsigned char* buffer, int size, int);
	// Writes text of `length` bytes (up to its NUL when that is negative), an error or a warning when `marked` is not
	// 0.
	void (*write)(const char* text, int length, int marked);
	// An error, an interrupt or `Q` has brought R back to its top level.
	void (*reset)();
	void (*flush)();
	void (*show)(const char* message);
};

class Embedding {
public:
	// Settles what R expects of the process, and opens the library of the R at `home`. Throws LibraryError.
	explicit Embedding(const std::string& home);

	// The version of the R at `home`, "unknown" where nothing tells. Asks no library.
	static std::string Version(const std::string& home);
	// A program that starts the R at `home` again.
	static std::string Program(const std::string& home);

	const Library& GetLibrary() const noexcept { return library_; }
	// Has R initialise itself, with words of its command line beside those that are needed, and sets its hooks. Its
	// profiles are not read yet. Throws LibraryError.
	void Initialise(const std::vector<std::string>& options, const Hooks& hooks);
	// Ends R and the process as q(status = ) does, with .Last and finalizers. R leaves it by a jump when .Last fails.
	void CleanUp(int status, bool run_last) const;

private:
	std::string home_;
	Library library_;
	void (*clean_up_)(int, int, int) = nullptr;
};

}  // namespace console::r

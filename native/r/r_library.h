// R's shared library, opened at run time: the host is built without R's headers, and serves whichever R starts it.
//
// The names and types are those of R's embedding interface ("Writing R Extensions", chapter 8) and of its C interface,
// stable since R 3.5.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

struct SEXPREC;

namespace console::r {

using Value = SEXPREC*;

// The encoding of texts that the host makes: CE_UTF8 of Rinternals.h.
constexpr int kUtf8 = 1;

// A function of the host that R code can call: .Call(name, …).
struct CallMethod {
	const char* name;
	void* (*function)();
	int arguments;
};

// R cannot be used; the message is one sentence that says why.
class LibraryError : public std::runtime_error {
public:
	using std::runtime_error::runtime_error;
};

// The entries of R's library that the host uses on every system.
struct Library {
	// Opens the library of the R at `home` and looks up every entry. Throws LibraryError.
	explicit Library(const std::string& home);

	// Looks up one more entry. Throws LibraryError when there is none of this name.
	template <typename Pointer>
	void LookUp(const char* name, Pointer& into) const {
		into = reinterpret_cast<Pointer>(Entry(name));
	}

	void (*setup_main_loop)();
	void (*run_main_loop)();

	int* interrupts_pending;
	int* interrupts_suspended;
	void** global_context;
	char** temporary_folder;
	Value* nil_value;
	Value* base_environment;
	Value* global_environment;

	void (*check_interrupt)();
	int (*top_level_exec)(void (*)(void*), void*);
	Value (*try_eval)(Value, Value, int*);
	const char* (*error_message)();
	void (*preserve)(Value);
	Value (*protect)(Value);
	void (*unprotect)(int);
	Value (*install)(const char*);
	Value (*call_of_one)(Value);
	Value (*call_of_two)(Value, Value);
	Value (*call_of_three)(Value, Value, Value);
	Value (*integer)(int);
	Value (*logical)(int);
	int (*as_integer)(Value);
	int (*length)(Value);
	int* (*integers)(Value);
	unsigned char* (*raw)(Value);
	int (*type_of)(Value);
	Value (*allocate)(unsigned, std::ptrdiff_t);
	Value (*element)(Value, std::ptrdiff_t);
	void (*set_element)(Value, std::ptrdiff_t, Value);
	const char* (*characters)(Value);
	Value (*string_of)(Value);
	Value (*encoded)(const char*, int, int);
	void (*raise)(const char*, ...);
	void* (*embedding)();
	int (*register_routines)(void*, const void*, const CallMethod*, const void*, const void*);

	// UTF-8 text as a character vector of length one. The caller protects it.
	Value Text(const std::string& text) const;
	// Runs something that R may leave by a jump: on an error, on an interrupt. It must not have objects with
	// destructors of its own; the jump ends here. Returns whether it ran to its end.
	template <typename Function>
	bool Contain(Function run) const {
		return top_level_exec([](void* data) { (*static_cast<Function*>(data))(); }, &run) != 0;
	}

private:
	void* Entry(const char* name) const;

	void* library_;
};

}  // namespace console::r

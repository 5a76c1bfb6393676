// What the native core throws when the system refuses something: the call that failed and its errno.
#pragma once

#include <stdexcept>
#include <string>

namespace console {

// A refused system call. `what()` is a whole sentence for people; `Name()` is the errno's name for programs ("EMFILE").
class SystemError : public std::runtime_error {
public:
	// `call` is the name of the system call (a string literal), `number` its errno, `subject` what it was asked to work
	// on.
	SystemError(const char* call, int number, const std::string& subject = {});

	const char* Call() const noexcept { return call_; }
	int Number() const noexcept { return number_; }
	// The symbolic name of the errno, or "E" and its number when this file knows no name for it.
	std::string Name() const;

private:
	const char* call_;
	int number_;
};

}  // namespace console

// Where the sanitizers of the launcher and of the R host write: they have no environment that could tell them, and
// their fd 2 is the output pipe.
#ifndef CONSOLE_SANITIZER_OPTIONS
#define CONSOLE_SANITIZER_OPTIONS "detect_leaks=1"
#endif

// The sanitizers' library has to find them in the program.
#pragma GCC visibility push(default)
extern "C" {

const char* __asan_default_options();
const char* __ubsan_default_options();

const char* __asan_default_options() {
	return CONSOLE_SANITIZER_OPTIONS ":exitcode=99:log_path=" CONSOLE_SANITIZER_LOG;
}
const char* __ubsan_default_options() {
	return "print_stacktrace=1:exitcode=99:log_path=" CONSOLE_SANITIZER_LOG;
}
}
#pragma GCC visibility pop

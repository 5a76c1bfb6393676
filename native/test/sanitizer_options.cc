// Where the sanitizers of the launcher write: it has no environment that could tell them, and its fd 2 is the output
// pipe.
extern "C" {

const char* __asan_default_options();
const char* __ubsan_default_options();

const char* __asan_default_options() {
	return "detect_leaks=1:exitcode=99:log_path=" CONSOLE_SANITIZER_LOG;
}
const char* __ubsan_default_options() {
	return "print_stacktrace=1:exitcode=99:log_path=" CONSOLE_SANITIZER_LOG;
}
}

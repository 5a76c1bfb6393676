#include "r/forks.h"

#include <pthread.h>

#include "r/python_library.h"
#include "r/shared_library.h"

namespace console::r::forks {
namespace {

int (*holds_lock)() = nullptr;
int (*ensure)() = nullptr;
void (*release)(int) = nullptr;
pthread_t main_thread;
void (*before)() = nullptr;
void (*after_in_parent)() = nullptr;
void (*after_in_child)() = nullptr;

// Python's hooks of a fork run, or have run before it.
thread_local bool entered = false;
// They were started here.
thread_local bool started = false;
// What Python is given back with its lock, which this thread has taken for the fork.
thread_local int lock = 0;

template <typename Pointer>
void Find(const char* name, Pointer& into) {
	into = reinterpret_cast<Pointer>(FindInPython(name));
}

// R's own thread can be without the lock, and then another has it, for ever in the child. Threads of C are not
// Python's.
void Before() {
	const bool of_r = ::pthread_equal(::pthread_self(), main_thread) != 0;
	started = holds_lock != nullptr && !entered && (of_r || holds_lock() != 0);
	if (!started) return;
	lock = ensure();
	before();
}

void After() {
	if (!started) return;
	started = false;
	after_in_parent();
	release(lock);
}

void AfterInChild() {
	if (!started) return;
	started = false;
	after_in_child();
	release(lock);
}

}  // namespace

void SharedWithPython(const PythonLibrary& python) {
	Find("PyOS_BeforeFork", before);
	Find("PyOS_AfterFork_Parent", after_in_parent);
	Find("PyOS_AfterFork_Child", after_in_child);
	if (before == nullptr || after_in_parent == nullptr || after_in_child == nullptr) return;
	ensure = python.ensure;
	release = python.release;
	main_thread = ::pthread_self();
	holds_lock = python.holds_lock;
	::pthread_atfork(Before, After, AfterInChild);
}

void Alone() {
	holds_lock = nullptr;
}

void Enter() {
	entered = true;
}

void Leave() {
	entered = false;
}

}  // namespace console::r::forks

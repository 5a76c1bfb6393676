#include "r/forks.h"

#include <pthread.h>

#include "r/python_library.h"
#include "r/shared_library.h"

namespace console::r::forks {
namespace {

int (*holds_lock)() = nullptr;
void (*before)() = nullptr;
void (*after_in_parent)() = nullptr;
void (*after_in_child)() = nullptr;

// Python's hooks of a fork run, or have run before it.
thread_local bool entered = false;
// They were started here.
thread_local bool started = false;

template <typename Pointer>
void Find(const char* name, Pointer& into) {
	into = reinterpret_cast<Pointer>(FindInPython(name));
}

void Before() {
	started = holds_lock != nullptr && !entered && holds_lock() != 0;
	if (started) before();
}

void After() {
	if (started) after_in_parent();
	started = false;
}

void AfterInChild() {
	if (started) after_in_child();
	started = false;
}

}  // namespace

void SharedWithPython(const PythonLibrary& python) {
	Find("PyOS_BeforeFork", before);
	Find("PyOS_AfterFork_Parent", after_in_parent);
	Find("PyOS_AfterFork_Child", after_in_child);
	if (before == nullptr || after_in_parent == nullptr || after_in_child == nullptr) return;
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

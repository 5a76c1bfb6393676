// Fork children of R's, such as those of mclapply(), in which Python goes on.
#pragma once

namespace console::r {

struct PythonLibrary;

// There is one process, so there is one of it.
namespace forks {

// From now on Python takes part in each fork by this thread, which is R's, or by one that holds Python's lock, as it
// does in os.fork(): in the child it would else wait for other threads, which are not there. Does nothing where there
// are no forks.
void SharedWithPython(const PythonLibrary& python);
// Python is about to end, and takes part in none any more.
void Alone();
// Python takes part in a fork of this thread's, or has done so: also in its own.
void Enter();
void Leave();

}  // namespace forks
}  // namespace console::r

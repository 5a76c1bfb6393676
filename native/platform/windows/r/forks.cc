// Windows has no forks.
#include "r/forks.h"

namespace console::r::forks {

void SharedWithPython(const PythonLibrary&) {}

void Alone() {}

void Enter() {}

void Leave() {}

}  // namespace console::r::forks

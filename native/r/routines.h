// The functions of the host that the runtime's R code calls with .Call(…, PACKAGE = "(embedding)").
#pragma once

#include "r/r_library.h"

namespace console::r {

// Makes them known to R. R's memory must have been set up.
void RegisterRoutines(const Library& library);

}  // namespace console::r

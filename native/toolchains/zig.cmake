# Compiles for another system, or for an older C library, with zig's C++ compiler, which brings the headers and libraries of all its
# targets. scripts/prebuild.mjs gives ZIG, the program, and TRIPLE, the target as zig names it (x86_64-linux-gnu.2.28).
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ZIG TRIPLE)

if(TRIPLE MATCHES "-macos")
  set(CMAKE_SYSTEM_NAME Darwin)
else()
  set(CMAKE_SYSTEM_NAME Linux)
endif()
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR ${TRIPLE})

# Optimised and stripped in all that CMake tries, too: for every other choice zig compiles its libraries anew, half a minute each time.
set(CMAKE_CXX_COMPILER ${ZIG} c++ -target ${TRIPLE} -O2 -s)
if(TRIPLE MATCHES "-musl")
  # zig links programs for musl statically when nobody says otherwise, and compiles all of musl for that; the R host opens libraries.
  list(APPEND CMAKE_CXX_COMPILER -dynamic)
endif()
# These are one word for CMake, and two for zig.
set(CMAKE_CXX_ARCHIVE_CREATE "${ZIG} ar qc <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "${ZIG} ar q <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "${ZIG} ranlib <TARGET>")

# zig has the target's own headers and libraries; this machine's are not for it.
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE NEVER)

// Python's C interface, in the process already when it is looked up: the host is built without Python's headers. Only
// what the stable ABI has.
#pragma once

#include <cstddef>
#include <string>

struct _object;

namespace console::r {

using PythonObject = _object*;

// A function of the host that Python code can call.
struct PythonMethod {
	const char* name;
	PythonObject (*function)(PythonObject, PythonObject);
	int flags;
	const char* documentation;
};

// The entries of Python's library that the host uses.
struct PythonLibrary {
	// Looks every entry up. Returns the name of the first that is missing, else nothing.
	std::string LookUp();

	int (*ensure)();
	void (*release)(int);
	int (*holds_lock)();
	void* (*save_thread)();
	void (*restore_thread)(void*);
	int (*interrupt)(int);
	PythonObject (*add_module)(const char*);
	PythonObject (*import_module)(const char*);
	PythonObject (*attribute)(PythonObject, const char*);
	int (*set_attribute)(PythonObject, const char*, PythonObject);
	PythonObject (*function)(const PythonMethod*, PythonObject, PythonObject);
	PythonObject (*call)(PythonObject, const char*, ...);
	PythonObject (*build)(const char*, ...);
	int (*parse)(PythonObject, const char*, ...);
	PythonObject (*dictionary)();
	int (*set_item)(PythonObject, const char*, PythonObject);
	PythonObject (*item)(PythonObject, const char*);
	PythonObject (*compile)(const char*, const char*, int);
	PythonObject (*run_code)(PythonObject, PythonObject, PythonObject);
	PythonObject (*builtins)();
	const char* (*text)(PythonObject, std::ptrdiff_t*);
	int (*is_true)(PythonObject);
	long (*as_long)(PythonObject);
	void (*show_error)();
	void (*forget)(PythonObject);
};

}  // namespace console::r

#include "r/python_library.h"

#include "r/shared_library.h"

namespace console::r {
namespace {

template <typename Pointer>
bool Find(const char* name, Pointer& into) {
	into = reinterpret_cast<Pointer>(FindInPython(name));
	return into != nullptr;
}

}  // namespace

std::string PythonLibrary::LookUp() {
	if (!Find("PyGILState_Ensure", ensure)) return "PyGILState_Ensure";
	if (!Find("PyGILState_Release", release)) return "PyGILState_Release";
	if (!Find("PyGILState_Check", holds_lock)) return "PyGILState_Check";
	if (!Find("PyEval_SaveThread", save_thread)) return "PyEval_SaveThread";
	if (!Find("PyEval_RestoreThread", restore_thread)) return "PyEval_RestoreThread";
	if (!Find("PyErr_SetInterruptEx", interrupt)) return "PyErr_SetInterruptEx";
	if (!Find("PyImport_AddModule", add_module)) return "PyImport_AddModule";
	if (!Find("PyImport_ImportModule", import_module)) return "PyImport_ImportModule";
	if (!Find("PyObject_GetAttrString", attribute)) return "PyObject_GetAttrString";
	if (!Find("PyObject_SetAttrString", set_attribute)) return "PyObject_SetAttrString";
	if (!Find("PyCFunction_NewEx", function)) return "PyCFunction_NewEx";
	// The forms that take sizes as Py_ssize_t, as PY_SSIZE_T_CLEAN would have chosen.
	if (!Find("_PyObject_CallFunction_SizeT", call)) return "PyObject_CallFunction";
	if (!Find("_Py_BuildValue_SizeT", build)) return "Py_BuildValue";
	if (!Find("_PyArg_ParseTuple_SizeT", parse)) return "PyArg_ParseTuple";
	if (!Find("PyDict_New", dictionary)) return "PyDict_New";
	if (!Find("PyDict_SetItemString", set_item)) return "PyDict_SetItemString";
	if (!Find("PyDict_GetItemString", item)) return "PyDict_GetItemString";
	if (!Find("Py_CompileString", compile)) return "Py_CompileString";
	if (!Find("PyEval_EvalCode", run_code)) return "PyEval_EvalCode";
	if (!Find("PyEval_GetBuiltins", builtins)) return "PyEval_GetBuiltins";
	if (!Find("PyUnicode_AsUTF8AndSize", text)) return "PyUnicode_AsUTF8AndSize";
	if (!Find("PyObject_IsTrue", is_true)) return "PyObject_IsTrue";
	if (!Find("PyLong_AsLong", as_long)) return "PyLong_AsLong";
	if (!Find("PyErr_Print", show_error)) return "PyErr_Print";
	if (!Find("Py_DecRef", forget)) return "Py_DecRef";
	return {};
}

}  // namespace console::r

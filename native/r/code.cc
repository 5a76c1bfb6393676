#include "r/code.h"

namespace console::r {

void Code::Load(const std::string& folder, const std::string& interpreter) {
	bool failed = false;
	const Value path = library_.protect(library_.Text(folder + "/main.R"));
	const Value parsing = library_.protect(library_.call_of_two(library_.install("parse"), path));
	const Value loading = library_.protect(library_.call_of_two(library_.install("eval"), parsing));
	const Value loader = library_.protect(Evaluate(loading, failed));
	const Value where = library_.protect(library_.Text(folder));
	const Value python = library_.protect(library_.Text(interpreter));
	if (!failed) find_ = Evaluate(library_.call_of_three(loader, where, python), failed);
	library_.unprotect(6);
	if (failed) throw LibraryError(std::string("the R runtime could not be loaded: ") + library_.error_message());
	library_.preserve(find_);
}

Value Code::Call(const char* name) {
	Value result = *library_.nil_value;
	library_.Contain([&] { result = EvaluateOrTell(library_.call_of_one(Function(name))); });
	return result;
}

Value Code::Call(const char* name, Value argument) {
	Value result = *library_.nil_value;
	library_.Contain([&] {
		library_.protect(argument);
		result = EvaluateOrTell(library_.call_of_two(Function(name), argument));
		library_.unprotect(1);
	});
	return result;
}

Value Code::Call(const char* name, Value first, Value second) {
	Value result = *library_.nil_value;
	library_.Contain([&] {
		library_.protect(first);
		library_.protect(second);
		result = EvaluateOrTell(library_.call_of_three(Function(name), first, second));
		library_.unprotect(2);
	});
	return result;
}

Value Code::Call(const char* name, const std::string& argument) {
	Value result = *library_.nil_value;
	library_.Contain([&] { result = Call(name, library_.Text(argument)); });
	return result;
}

Value Code::Call(const char* name, const std::string& first, const std::string& second) {
	Value result = *library_.nil_value;
	library_.Contain([&] {
		const Value text = library_.protect(library_.Text(first));
		result = Call(name, text, library_.Text(second));
		library_.unprotect(1);
	});
	return result;
}

Value Code::Call(const char* name, int argument) {
	Value result = *library_.nil_value;
	library_.Contain([&] { result = Call(name, library_.integer(argument)); });
	return result;
}

Value Code::Function(const char* name) {
	const auto found = functions_.find(name);
	if (found != functions_.end()) return found->second;
	bool failed = false;
	const Value text = library_.protect(library_.Text(name));
	const Value function = Evaluate(library_.call_of_two(find_, text), failed);
	library_.unprotect(1);
	library_.preserve(function);
	functions_.emplace(name, function);
	return function;
}

Value Code::Evaluate(Value call, bool& failed) {
	library_.protect(call);
	const int suspended = *library_.interrupts_suspended;
	*library_.interrupts_suspended = 1;
	int error = 0;
	const Value result = library_.try_eval(call, *library_.base_environment, &error);
	*library_.interrupts_suspended = suspended;
	library_.unprotect(1);
	failed = error != 0;
	return failed ? *library_.nil_value : result;
}

Value Code::EvaluateOrTell(Value call) {
	bool failed = false;
	const Value result = Evaluate(call, failed);
	if (failed) tell_(library_.error_message());
	return result;
}

}  // namespace console::r

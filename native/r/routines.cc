#include "r/routines.h"

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "r/console.h"

namespace console::r {
namespace {

constexpr int kCharacterVector = 16;  // STRSXP
constexpr int kBytes = 24;            // RAWSXP

// R jumps over what has a destructor, and no exception may cross it: arguments are looked at before anything else, and
// errors are raised after everything else.

void Expect(Value argument, int type) {
	const Library& library = TheConsole().GetLibrary();
	if (library.type_of(argument) != type || library.length(argument) == 0)
		library.raise("a function of the Console host was called with another kind of argument");
}

template <typename... Values>
void ExpectTexts(Values... arguments) {
	(Expect(arguments, kCharacterVector), ...);
}

template <typename Function>
void Guarded(Function run) {
	char message[256] = "";
	try {
		run();
		return;
	} catch (const std::exception& error) {
		std::snprintf(message, sizeof message, "%s", error.what());
	}
	TheConsole().GetLibrary().raise("%s", message);
}

// What was looked at is text.
std::string TextOf(Value vector) {
	const Library& library = TheConsole().GetLibrary();
	return library.characters(library.element(vector, 0));
}

Value Nothing() {
	return *TheConsole().GetLibrary().nil_value;
}

// console_python(): runs the Python cell that was begun.
Value RunPython() {
	TheConsole().RunPython();
	return Nothing();
}

// console_attach(): fits the Python that reticulate has started to the session. Returns "" or why that cannot be done.
Value Attach() {
	return TheConsole().GetLibrary().Text(TheConsole().AttachPython());
}

// console_settle(): reticulate has started Python.
Value Settle() {
	TheConsole().SettlePython();
	return Nothing();
}

// console_finish(): ends Python in an orderly way.
Value Finish() {
	TheConsole().FinishPython();
	return Nothing();
}

// console_send(header, body): sends an event.
Value Send(Value header, Value body) {
	ExpectTexts(header, body);
	Guarded([=] { TheConsole().GetChannel().Send(TextOf(header), TextOf(body)); });
	return Nothing();
}

// console_place(verb, keys, body): sends an event with a place in the text, and returns when it has it.
Value Place(Value verb, Value keys, Value body) {
	ExpectTexts(verb, keys, body);
	Guarded([=] { TheConsole().GetChannel().Place(TextOf(verb), TextOf(keys), TextOf(body)); });
	return Nothing();
}

// console_ask(verb, keys, body): sends a question. Returns the verb, the number and the body of the answer; NULL when
// the session ends.
Value Ask(Value verb, Value keys, Value body) {
	ExpectTexts(verb, keys, body);
	const Library& library = TheConsole().GetLibrary();
	const Value vector = library.protect(library.allocate(kCharacterVector, 3));
	bool answered = false;
	Guarded([&] {
		const std::optional<Frame> answer = TheConsole().GetChannel().Ask(TextOf(verb), TextOf(keys), TextOf(body));
		if (!answer) return;
		const std::string parts[] = {answer->verb, answer->Text("id"), answer->body};
		answered = library.Contain([&] {
			for (int index = 0; index < 3; ++index) {
				const std::string& part = parts[index];
				const int size = static_cast<int>(part.size());
				library.set_element(vector, index, library.encoded(part.data(), size, kUtf8));
			}
		});
	});
	library.unprotect(1);
	return answered ? vector : Nothing();
}

// console_activate(id, body): has Python put packages in their place, and answers the server. Returns "" or why nothing
// has changed.
Value Activate(Value id, Value body) {
	return TheConsole().GetLibrary().Text(TheConsole().ActivatePython(TextOf(id), TextOf(body)));
}

// console_image(bytes, mime): sends a picture, and returns when it has its place in the text.
Value Image(Value bytes, Value mime) {
	Expect(bytes, kBytes);
	ExpectTexts(mime);
	const Library& library = TheConsole().GetLibrary();
	const auto* data = reinterpret_cast<const char*>(library.raw(bytes));
	const auto size = static_cast<std::size_t>(library.length(bytes));
	Guarded([=] { TheConsole().GetChannel().Place("image", "mime=" + TextOf(mime), {data, size}); });
	return Nothing();
}

template <typename Function>
CallMethod Method(const char* name, Function function, int arguments) {
	return {name, reinterpret_cast<void* (*)()>(reinterpret_cast<void*>(function)), arguments};
}

}  // namespace

void RegisterRoutines(const Library& library) {
	static const CallMethod methods[] = {
	    Method("console_python", RunPython, 0), Method("console_attach", Attach, 0),
	    Method("console_settle", Settle, 0),    Method("console_finish", Finish, 0),
	    Method("console_send", Send, 2),        Method("console_place", Place, 3),
	    Method("console_ask", Ask, 3),          Method("console_activate", Activate, 2),
	    Method("console_image", Image, 2),      {nullptr, nullptr, 0},
	};
	library.register_routines(library.embedding(), nullptr, methods, nullptr, nullptr);
}

}  // namespace console::r

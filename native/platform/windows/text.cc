// Text as Windows takes it.
#include "text.h"

#include <windows.h>

#include <algorithm>

namespace console {
namespace {

// Quotes one argument by the rules of CommandLineToArgvW: a quotation mark needs a backslash, and so does each
// backslash before one.
void AppendQuoted(std::wstring& line, const std::wstring& argument) {
	if (!argument.empty() && argument.find_first_of(L" \t\n\v\"") == std::wstring::npos) {
		line += argument;
		return;
	}
	line += L'"';
	std::size_t backslashes = 0;
	for (const wchar_t character : argument) {
		if (character == L'"') line.append(backslashes + 1, L'\\');
		backslashes = character == L'\\' ? backslashes + 1 : 0;
		line += character;
	}
	line.append(backslashes, L'\\');
	line += L'"';
}

std::wstring NameOf(const std::wstring& variable) {
	// Names of hidden variables such as `=C:` begin with the sign that ends the others.
	return variable.substr(0, variable.find(L'=', 1));
}

bool ComesBefore(const std::wstring& one, const std::wstring& other) {
	const std::wstring name = NameOf(one);
	const std::wstring other_name = NameOf(other);
	return ::CompareStringOrdinal(name.c_str(), static_cast<int>(name.size()), other_name.c_str(),
	                              static_cast<int>(other_name.size()), TRUE) == CSTR_LESS_THAN;
}

}  // namespace

std::wstring Wide(const std::string& text) {
	const int size = static_cast<int>(text.size());
	std::wstring wide(static_cast<std::size_t>(::MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0)),
	                  L'\0');
	::MultiByteToWideChar(CP_UTF8, 0, text.data(), size, wide.data(), static_cast<int>(wide.size()));
	return wide;
}

std::string Narrow(const std::wstring& text) {
	const int size = static_cast<int>(text.size());
	std::string narrow(
	    static_cast<std::size_t>(::WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr)),
	    '\0');
	::WideCharToMultiByte(CP_UTF8, 0, text.data(), size, narrow.data(), static_cast<int>(narrow.size()), nullptr,
	                      nullptr);
	return narrow;
}

std::wstring CommandLine(const std::vector<std::string>& arguments) {
	std::wstring line;
	for (const std::string& argument : arguments) {
		if (!line.empty()) line += L' ';
		AppendQuoted(line, Wide(argument));
	}
	return line;
}

std::wstring EnvironmentBlock(const std::vector<std::string>& variables) {
	std::vector<std::wstring> sorted;
	for (const std::string& variable : variables) sorted.push_back(Wide(variable));
	std::stable_sort(sorted.begin(), sorted.end(), ComesBefore);
	std::wstring block;
	for (const std::wstring& variable : sorted) block += variable + L'\0';
	// An empty block has two NULs as well.
	if (block.empty()) block += L'\0';
	return block + L'\0';
}

}  // namespace console

// What a `start` frame asks for.
#include "launcher/start_request.h"

#include <algorithm>

#include "core/frames.h"

namespace console {
namespace {

// Takes the text up to the next NUL off the front of `rest`.
std::string_view TakeText(std::string_view& rest) {
	const std::size_t end = rest.find('\0');
	if (end == std::string_view::npos) throw FrameError("a start request that ends early");
	const std::string_view text = rest.substr(0, end);
	rest.remove_prefix(end + 1);
	return text;
}

std::vector<std::string> TakeList(std::string_view& rest) {
	constexpr std::size_t kMostDigits = 9;
	const std::string digits(TakeText(rest));
	const bool is_number = !digits.empty() && digits.size() <= kMostDigits &&
	                       std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
	if (!is_number) throw FrameError("a start request with a malformed count");
	std::vector<std::string> list;
	for (int left = std::stoi(digits); left > 0; --left) list.emplace_back(TakeText(rest));
	return list;
}

}  // namespace

StartRequest ParseStartRequest(std::string_view body) {
	StartRequest request;
	request.folder = TakeText(body);
	request.arguments = TakeList(body);
	request.environment = TakeList(body);
	if (request.arguments.empty()) throw FrameError("a start request without a program");
	if (!body.empty()) throw FrameError("a start request with more than it counts");
	return request;
}

}  // namespace console

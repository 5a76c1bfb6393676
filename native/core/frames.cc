// The frames of docs/private-channel.md, as the launcher and the R host read and write them.
#include "core/frames.h"

#include <algorithm>

namespace console {
namespace {

constexpr std::size_t kLengthSize = 4;
constexpr std::size_t kLongestFrame = std::size_t{256} * 1024 * 1024;

bool IsName(std::string_view text, char joint) {
	if (text.empty() || text[0] < 'a' || text[0] > 'z') return false;
	return std::all_of(text.begin(), text.end(), [&](char c) { return (c >= 'a' && c <= 'z') || c == joint; });
}

std::size_t LengthAt(const std::string& bytes) {
	std::size_t length = 0;
	for (std::size_t index = 0; index < kLengthSize; ++index)
		length = length << 8 | static_cast<unsigned char>(bytes[index]);
	return length;
}

void AddPair(Frame& frame, std::string_view pair) {
	const std::size_t equals = pair.find('=');
	if (equals == std::string_view::npos || !IsName(pair.substr(0, equals), '_')) throw FrameError("a malformed key");
	const std::string_view value = pair.substr(equals + 1);
	const bool printable = std::all_of(value.begin(), value.end(), [](char c) { return c > ' ' && c <= '~'; });
	if (!printable) throw FrameError("a malformed value");
	const bool added = frame.keys.emplace(pair.substr(0, equals), value).second;
	if (!added) throw FrameError("a key that stands twice");
}

Frame Decode(std::string_view content) {
	const std::size_t end = content.find('\n');
	if (end == std::string_view::npos) throw FrameError("a frame without a header");
	std::string_view header = content.substr(0, end);
	Frame frame;
	frame.body = content.substr(end + 1);
	const std::size_t verb_end = std::min(header.find(' '), header.size());
	frame.verb = header.substr(0, verb_end);
	if (!IsName(frame.verb, '-')) throw FrameError("a malformed verb");
	while (!(header = header.substr(std::min(header.find(' '), header.size()))).empty()) {
		header.remove_prefix(1);
		AddPair(frame, header.substr(0, header.find(' ')));
	}
	return frame;
}

}  // namespace

std::int64_t Frame::Number(const std::string& key) const {
	// Microseconds since 1970 have 16.
	constexpr std::size_t kMostDigits = 18;
	const auto found = keys.find(key);
	if (found == keys.end()) throw FrameError(verb + " without " + key);
	const std::string& value = found->second;
	const bool digits = std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
	if (value.empty() || value.size() > kMostDigits || !digits) throw FrameError(key + " is no number");
	return std::stoll(value);
}

std::string Frame::Text(const std::string& key) const {
	const auto found = keys.find(key);
	return found == keys.end() ? std::string() : found->second;
}

void FrameReader::Push(std::string_view bytes) {
	held_.append(bytes);
}

std::optional<Frame> FrameReader::Next() {
	if (held_.size() < kLengthSize) return std::nullopt;
	const std::size_t length = LengthAt(held_);
	if (length < 1 || length > kLongestFrame) throw FrameError("a frame of an impossible length");
	if (held_.size() < kLengthSize + length) return std::nullopt;
	Frame frame = Decode(std::string_view(held_).substr(kLengthSize, length));
	held_.erase(0, kLengthSize + length);
	return frame;
}

std::string EncodeFrame(const std::string& header, std::string_view body) {
	const std::size_t length = header.size() + 1 + body.size();
	std::string frame;
	for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(length >> shift & 0xff);
	frame += header;
	frame += '\n';
	return frame.append(body);
}

}  // namespace console

// The frames of docs/private-channel.md, as the launcher and the R host read and write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace console {

// The server broke the format.
class FrameError : public std::runtime_error {
public:
	using std::runtime_error::runtime_error;
};

struct Frame {
	std::string verb;
	std::map<std::string, std::string> keys;
	std::string body;

	// The whole number under `key`. Throws FrameError when there is none.
	std::int64_t Number(const std::string& key) const;
	// The text under `key`, empty when there is none.
	std::string Text(const std::string& key) const;
};

// Cuts a stream of bytes into frames, whatever the pieces it arrives in.
class FrameReader {
public:
	void Push(std::string_view bytes);
	// The next complete frame, if there is one. Throws FrameError when the stream cannot be what the format allows.
	std::optional<Frame> Next();

private:
	std::string held_;
};

// One frame. `header` is `verb key=value …`, without the newline.
std::string EncodeFrame(const std::string& header, std::string_view body = {});

}  // namespace console

// Text as the value of a key in a frame's header.
#pragma once

#include <string>
#include <string_view>

namespace console::r {

// Printable ASCII without spaces: UTF-8 with everything unusual percent-encoded.
inline std::string PercentEncoded(std::string_view text) {
	constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~/";
	constexpr const char* digits = "0123456789ABCDEF";
	std::string encoded;
	for (const char byte : text) {
		if (plain.find(byte) != std::string_view::npos) {
			encoded += byte;
		} else {
			const auto value = static_cast<unsigned char>(byte);
			encoded += {'%', digits[value >> 4], digits[value & 15]};
		}
	}
	return encoded;
}

}  // namespace console::r

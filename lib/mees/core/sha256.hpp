#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace mees {

/// SHA-256 (FIPS 180-4) of the bytes, as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(std::span<std::byte const> bytes);
[[nodiscard]] std::string sha256(std::string_view text);
/// Of all bytes of a file, however large. Throws FileError.
[[nodiscard]] std::string sha256_of_file(std::filesystem::path const& path);

}  // namespace mees

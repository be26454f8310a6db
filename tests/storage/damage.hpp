#pragma once

#include "mees/core/stream.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace mees::test {

using Bytes = std::vector<unsigned char>;

[[nodiscard]] Bytes read_bytes(std::filesystem::path const& path);
void write_bytes(std::filesystem::path const& path, Bytes const& bytes);

/// Truncates, flips bits, or overwrites a range with zeros, ones or noise; returns a description.
std::string damage(Bytes& bytes, Stream& stream);

}  // namespace mees::test

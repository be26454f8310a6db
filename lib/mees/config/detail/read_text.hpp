#pragma once

#include <filesystem>
#include <string>

namespace mees {

/// The contents of a file that can be TOML. Throws ConfigError for a folder, for what cannot be
/// read, and for what is binary or larger than 1 MiB.
[[nodiscard]] std::string read_text(std::filesystem::path const& file);

}  // namespace mees

#pragma once

#include <filesystem>
#include <fstream>

namespace mees {

/// A file to write to. Throws FileError if it exists or cannot be made.
[[nodiscard]] std::ofstream create_new_file(std::filesystem::path const& path);

/// Throws FileError, and removes the file, if not all of it could be written.
void close_new_file(std::ofstream& file, std::filesystem::path const& path);

}  // namespace mees

#pragma once

#include <filesystem>

namespace mees {

/// Throws FileError if something has this name already (results are never written over) or if its
/// folder does not exist.
void require_new_file(std::filesystem::path const& path);

}  // namespace mees

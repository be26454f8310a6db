#pragma once

#include "mees/storage/hdf5/file.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace mees {

/// What is wrong with a map.h5 or adapt.h5, one sentence each; empty if it is whole. Reads every
/// byte of every dataset (checksums) and attribute, compares digests, and checks what reading it
/// checks.
[[nodiscard]] std::vector<std::string> verify(std::filesystem::path const& path);

/// Throws FileError if a dataset is not what its digest says.
void require_whole(hdf5::Reader const& file);

}  // namespace mees

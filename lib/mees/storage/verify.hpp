#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mees {

/// The problems of a map.h5 or adapt.h5, one sentence each; empty if it is intact. Reads every byte
/// of every dataset (checksums) and attribute, compares digests, and makes all checks of reading.
[[nodiscard]] std::vector<std::string> verify(std::filesystem::path const& path);

}  // namespace mees

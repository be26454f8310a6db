#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mees {

/// Where two map files differ, one sentence each; empty if all but /timing and the root's
/// attributes created, wall_seconds and restarts is bit-identical. Throws FileError if one
/// cannot be read.
[[nodiscard]] std::vector<std::string> diff(std::filesystem::path const& left,
                                            std::filesystem::path const& right);

}  // namespace mees

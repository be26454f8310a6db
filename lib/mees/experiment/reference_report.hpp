#pragma once

#include "mees/core/error.hpp"

#include <filesystem>
#include <iosfwd>
#include <vector>

namespace mees {

/// Checks whether this build reproduces recorded trajectories and writes, for each file, the
/// largest deviation of each quantity. success: all do; failure: one does not; unusable_file: one
/// is no such recording (the others are checked all the same; why goes to `errors`).
[[nodiscard]] ExitCode report_references(std::vector<std::filesystem::path> const& files,
                                         std::ostream& out, std::ostream& errors);

}  // namespace mees

#pragma once

#include "mees/sim/reference.hpp"

#include <filesystem>

namespace mees {

/// Reads a recorded trajectory. Throws FileError for a file that is none: something missing, of
/// another type or shape, or not finite.
[[nodiscard]] Recording read_recording(std::filesystem::path const& path);

}  // namespace mees

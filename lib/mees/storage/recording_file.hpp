#pragma once

#include "mees/sim/recording/recording.hpp"

#include <filesystem>

namespace mees {

/// Reads a recorded trajectory. Throws FileError if a dataset is missing, of another type or shape,
/// or not finite.
[[nodiscard]] Recording read_recording(std::filesystem::path const& path);

/// Writes a new file, never overwrites one. Throws WriteError.
void write_recording(std::filesystem::path const& path, Recording const& recording);

}  // namespace mees

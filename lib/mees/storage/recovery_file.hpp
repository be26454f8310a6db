#pragma once

#include "mees/adaptation/recovery.hpp"
#include "mees/storage/map/document.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace mees {

inline constexpr char const* recovery_filetype = "mees-adaptation";
inline constexpr FormatVersion recovery_format_version{1, 0};

/// Everything an adapt.h5 holds: damages, seeds and what came of them.
struct RecoveryDocument {
    RunInfo run;  ///< the map's run; versions, wall_seconds and restarts are the adaptation's own
    Generation generation;  ///< of the map
    std::string map_sha256;
    RecoverySettings settings;
    std::vector<RecoveryResult> results;
};

/// Puts the file in place of an older one at once: at any moment the one or the other is there,
/// whole. Throws WriteError, leaving the older one as it was.
void write_recoveries(std::filesystem::path const& path, RecoveryDocument const& document);

/// Reads and checks everything, digests too. Throws FileError naming what is wrong.
[[nodiscard]] RecoveryDocument read_recoveries(std::filesystem::path const& path);

/// "variance" or "std".
[[nodiscard]] std::string name_of(Acquisition acquisition);

}  // namespace mees

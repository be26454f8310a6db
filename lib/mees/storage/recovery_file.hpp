#pragma once

#include "mees/adaptation/recovery.hpp"
#include "mees/storage/map/document.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace mees {

inline constexpr char const* recovery_filetype = "mees-adaptation";
inline constexpr FormatVersion recovery_format_version{1, 0};

/// The content of an adapt.h5: the results for damages and seeds.
struct RecoveryDocument {
    /// Of the map's run, but versions, wall_seconds and restarts are the adaptation's, and the
    /// model is that of the intact robot.
    RunInfo run;
    Generation generation;  ///< of the map
    std::string map_sha256;
    RecoverySettings settings;
    /// The map's best controller in the intact robot, as stored in the map; empty: an old file.
    std::optional<Score> intact{};
    std::vector<RecoveryResult> results;
};

/// Replaces the file in one step (see AtomicFile). Throws WriteError, leaving the old file
/// unchanged.
void write_recoveries(std::filesystem::path const& path, RecoveryDocument const& document);

/// Reads and checks everything, digests too. Throws FileError naming what is wrong.
[[nodiscard]] RecoveryDocument read_recoveries(std::filesystem::path const& path);

/// "variance" or "std".
[[nodiscard]] std::string name_of(Acquisition acquisition);

}  // namespace mees

#pragma once

#include "mees/navigation/navigation_run.hpp"
#include "mees/navigation/walk_track.hpp"
#include "mees/storage/map/document.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace mees {

inline constexpr char const* walk_filetype = "mees-walk";

/// The content of the file of mees_navigate --trajectory.
struct WalkDocument {
    RunInfo const& run;  ///< as in nav.h5
    Generation generation;
    NavigationJob const& job;
    bool learning{true};
    Course const& course;
    std::string map_sha256;
    double seconds_per_step{0};
    std::shared_ptr<DomainDocument const> robot;  ///< with its damage; null: not carried
    WalkTrack const& track;
};

/// Writes a new file, never overwrites one. Throws WriteError.
void write_walk(std::filesystem::path const& path, WalkDocument const& document);

/// Throws FileError unless the file has a row of every dataset per control step.
void check_walk(std::filesystem::path const& path);

}  // namespace mees

#pragma once

#include "mees/navigation/navigation_run.hpp"
#include "mees/storage/map/document.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mees {

inline constexpr char const* navigation_filetype = "mees-navigation";
inline constexpr FormatVersion navigation_format_version{1, 0};

/// The content of a nav.h5: walks with and without learning, of damages and seeds.
struct NavigationDocument {
    /// Of the map's run, but versions, wall_seconds and restarts are the navigation's, and the
    /// model is that of the robot that walks.
    RunInfo run;
    Generation generation;  ///< of the map
    std::string map_sha256;
    Course course;
    NavigationSettings settings;  ///< `learning` is that of each result
    /// Of the elites that are used: -infinity for all; empty: a file of an earlier version.
    std::optional<double> least_fitness{};
    std::vector<NavigationResult> results;
};

/// Replaces the file in one step (see AtomicFile). Throws WriteError, leaving the old file
/// unchanged.
void write_navigation(std::filesystem::path const& path, NavigationDocument const& document);

/// Reads and checks everything, digests too. Throws FileError naming what is wrong.
[[nodiscard]] NavigationDocument read_navigation(std::filesystem::path const& path);

}  // namespace mees

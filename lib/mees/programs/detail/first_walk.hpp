#pragma once

#include "mees/navigation/walk_track.hpp"
#include "mees/programs/detail/options.hpp"
#include "mees/storage/navigation_file.hpp"
#include "mees/video/video.hpp"

namespace mees {

/// Makes a walk of the document again and writes its video and trajectory, where the options name
/// files for them; prints their names. `seed` is the map's.
void show_walk(NavigationDomain const& domain, NavigationJob const& job, std::uint64_t seed,
               NavigationDocument const& document, NavigateOptions const& options);

/// Obstacles, walls and targets, as a video shows them while the robot walks to `target`.
[[nodiscard]] std::vector<Decoration> decorations_of(Course const& course, std::int64_t target);

}  // namespace mees

#pragma once

#include "mees/evaluation/evaluator.hpp"

#include <filesystem>

namespace mees {

/// Adds an episode whose worker was lost to `lost_episodes.csv` in the run folder, which later runs
/// of the folder add to.
///
/// Throws Error if the same episode has lost a worker before: it would lose all of them, one by
/// one. A file that cannot be written causes a warning.
void record_lost_episode(std::filesystem::path const& folder, LostEpisode const& episode);

}  // namespace mees

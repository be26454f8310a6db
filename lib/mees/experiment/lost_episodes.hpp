#pragma once

#include "mees/evaluation/evaluator.hpp"

#include <filesystem>
#include <span>

namespace mees {

/// Adds the episodes that a lost worker was running to `lost_episodes.csv` in the run folder, which
/// later runs of the folder add to.
///
/// Throws Error, naming them, if any of them has lost a worker before: it would lose all of them,
/// one by one. A file that cannot be written causes a warning.
void record_lost_episodes(std::filesystem::path const& folder,
                          std::span<LostEpisode const> episodes);

}  // namespace mees

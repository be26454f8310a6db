#pragma once

#include "mees/rollout/replayer.hpp"
#include "mees/sim/task.hpp"

#include <span>
#include <string>

namespace mees {

/// A line per episode (fitness, steps, BC, reward terms, how it ended), then mean and standard
/// deviation.
[[nodiscard]] std::string episode_table(std::span<ReplayedEpisode const> episodes,
                                        TaskSpec const& spec);

}  // namespace mees

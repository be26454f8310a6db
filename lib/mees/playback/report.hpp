#pragma once

#include "mees/playback/replayer.hpp"
#include "mees/sim/task.hpp"

#include <span>
#include <string>

namespace mees {

/// A line per episode (fitness, BC, steps, how it ended, reward terms), then mean and standard
/// deviation.
[[nodiscard]] std::string episode_table(std::span<ReplayedEpisode const> episodes,
                                        TaskSpec const& spec);

}  // namespace mees

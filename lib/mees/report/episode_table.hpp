#pragma once

#include "mees/report/terminal.hpp"
#include "mees/rollout/replayer.hpp"
#include "mees/sim/task.hpp"

#include <span>
#include <string>

namespace mees {

/// A line per episode (fitness, steps, BC, reward terms, how it ended), then mean and standard
/// deviation. In a terminal that is too narrow, the reward terms follow in a table of their own.
[[nodiscard]] std::string episode_table(std::span<ReplayedEpisode const> episodes,
                                        TaskSpec const& spec, Terminal const& terminal = {});

}  // namespace mees

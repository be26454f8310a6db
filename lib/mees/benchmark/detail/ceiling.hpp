#pragma once

#include "mees/evaluation/batch.hpp"
#include "mees/rollout/episode_runner.hpp"

#include <span>

namespace mees::bench {

/// Seconds in which this many new processes run all episodes of a batch, each taking the next one
/// from a counter in shared memory and sending nothing: a reference for dispatch on this machine.
/// Throws Error if one of them fails.
[[nodiscard]] double seconds_without_messages(RolloutSetup const& setup, Batch const& batch,
                                              std::span<float const> noise, int workers);

}  // namespace mees::bench

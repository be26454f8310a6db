#pragma once

#include "mees/evaluation/result.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mees {

/// Appends one episode's outcome to a reply; `observations` may be null.
void append_outcome(std::vector<std::byte>& reply, EpisodeOutcome const& outcome,
                    std::span<double const> bc, ObservationMoments const* observations);

/// Reads the outcomes of episodes begin .. end - 1 into their places. Observations are appended in
/// the order of arrival.
void read_outcomes(std::span<std::byte const> reply, std::int64_t begin, std::int64_t end,
                   BatchResult& result);

}  // namespace mees

#pragma once

#include "mees/sim/task.hpp"

#include <cstdint>
#include <limits>
#include <string>

namespace mees {

/// How much is compared.
struct DeterminismEffort {
    std::int64_t episodes{3};
    std::int64_t steps{std::numeric_limits<std::int64_t>::max()};  ///< of an episode, at most
    double seconds{std::numeric_limits<double>::infinity()};       ///< no step starts after these
};

struct Determinism {
    std::int64_t steps{0};   ///< that were compared
    std::string difference;  ///< the first; empty: none
};

/// Runs the same episodes, with random actions, in two tasks of a domain, one of which has run
/// another episode before each. In a deterministic domain every number is the same.
[[nodiscard]] Determinism check_determinism(Domain const& domain, DeterminismEffort const& effort);

}  // namespace mees

#pragma once

#include "mees/config/settings.hpp"

#include <cstdint>

namespace mees {

/// How many controllers an algorithm works with: the one place that tells them apart by number.
struct SearchSize {
    std::int64_t initial{1};      ///< controllers of generation 0, each measured
    std::int64_t optimised{1};    ///< at once, each with an optimiser of its own
    std::int64_t populations{1};  ///< of es.population offspring, each generation
    std::int64_t measured{1};     ///< by n_eval episodes each generation
};

[[nodiscard]] SearchSize search_size(AlgorithmSettings const& settings);

/// Episodes of every generation after the first.
[[nodiscard]] std::int64_t episodes_per_generation(Settings const& settings);

}  // namespace mees

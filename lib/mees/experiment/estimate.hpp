#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/sim/task.hpp"

#include <cstdint>

namespace mees {

/// What a run will need, computed before it starts.
struct Estimate {
    std::int64_t cells{0};
    std::int64_t parameters{0};
    std::int64_t episodes_per_generation{0};
    std::int64_t episodes{0};  ///< of the complete run
    /// More than these only with es.steps_per_generation: with episodes of one control step, where
    /// the two above have complete ones.
    std::int64_t most_episodes_per_generation{0};
    std::int64_t most_episodes{0};
    std::int64_t elites{0};            ///< at most, after the last generation
    std::int64_t noise_bytes{0};       ///< per node
    std::int64_t worker_bytes{0};      ///< per rank, without the noise table
    std::int64_t master_bytes{0};      ///< rank 0, without the noise table
    std::int64_t checkpoint_bytes{0};  ///< one map.h5, at most
    /// Parameters of elites that map.memory_limit moves from rank 0's memory to the run folder.
    std::int64_t scratch_bytes{0};
    std::int64_t disk_bytes{0};  ///< of the run folder, at most
};

/// `carried` is what the map carries of its domain, if anything; `episode_steps` are those of a
/// complete episode; `start_elites` are the elites of another map that the run starts from.
[[nodiscard]] Estimate estimate(SearchProblem const& problem,
                                DomainDocument const* carried = nullptr,
                                std::int64_t episode_steps = 1, std::int64_t start_elites = 0);

}  // namespace mees

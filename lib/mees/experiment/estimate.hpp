#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/sim/task.hpp"

#include <cstdint>
#include <string>

namespace mees {

/// What a run will need, worked out before it starts.
struct Estimate {
    std::int64_t cells{0};
    std::int64_t parameters{0};
    std::int64_t episodes_per_generation{0};
    std::int64_t episodes{0};          ///< of the whole run
    std::int64_t elites{0};            ///< at most, after the last generation
    std::int64_t noise_bytes{0};       ///< once per node
    std::int64_t worker_bytes{0};      ///< each rank, beyond the noise table
    std::int64_t master_bytes{0};      ///< rank 0, beyond the noise table
    std::int64_t checkpoint_bytes{0};  ///< one map.h5, at most
    std::int64_t disk_bytes{0};        ///< the folder, at most: the checkpoints that exist at once
};

[[nodiscard]] Estimate estimate(SearchProblem const& problem);

/// The text of --dry-run.
[[nodiscard]] std::string describe(Estimate const& estimate, SearchProblem const& problem,
                                   TaskSpec const& spec);

/// "1.5 GB"
[[nodiscard]] std::string human_bytes(std::int64_t bytes);

}  // namespace mees

#pragma once

#include "mees/core/stream.hpp"
#include "mees/qd/elite_map.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace mees {

/// How a parent cell is drawn when exploring.
enum class ExploreCells : std::uint8_t {
    most_novel,        ///< in proportion to novelty among the five most novel (the paper's)
    most_novel_mixed,  ///< the same with 10 % of the mass spread evenly over all cells
    uniform,
};

/// How a parent cell is drawn when exploiting.
enum class ExploitCells : std::uint8_t {
    best_or_recent,   ///< p 0.5 one of the two fittest, p 0.5 of the two fittest of the last five
                      ///< updated (the paper's)
    best_or_uniform,  ///< p 0.5 the fittest, p 0.5 any
    uniform,
};

/// Cells and the probability that each is drawn; cells of probability 0 are left out.
using CellDistribution = std::vector<std::pair<CellId, double>>;

[[nodiscard]] CellDistribution explore_distribution(EliteMap const& map, ExploreCells rule);
[[nodiscard]] CellDistribution exploit_distribution(EliteMap const& map, ExploitCells rule);
[[nodiscard]] CellDistribution uniform_distribution(EliteMap const& map);

[[nodiscard]] CellId sample(CellDistribution const& distribution, Stream& stream);

}  // namespace mees

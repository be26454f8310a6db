#pragma once

#include "mees/config/choices.hpp"
#include "mees/core/stream.hpp"
#include "mees/qd/elite_map.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace mees {

/// Cells and the probability that each is drawn; cells of probability 0 are left out.
using CellDistribution = std::vector<std::pair<CellId, double>>;

[[nodiscard]] CellDistribution explore_distribution(EliteMap const& map, ExploreCells rule);
[[nodiscard]] CellDistribution exploit_distribution(EliteMap const& map, ExploitCells rule);
[[nodiscard]] CellDistribution uniform_distribution(EliteMap const& map);

[[nodiscard]] CellId sample(CellDistribution const& distribution, Stream& stream);

}  // namespace mees

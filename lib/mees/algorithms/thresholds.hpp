#pragma once

#include "mees/core/ids.hpp"

#include <map>
#include <optional>
#include <span>
#include <vector>

namespace mees {

/// How CMA-MAE accepts solutions (Fontaine and Nikolaidis, arXiv 2205.10752): every cell has a
/// threshold that moves from a floor towards the values that it accepts. Without a floor: the rule
/// of CMA-ME, where an empty cell accepts anything and the threshold is the best value so far.
struct ThresholdRule {
    double rate{0.001};
    std::optional<double> floor;
};

/// A solution compared with the threshold of its cell.
struct Improvement {
    bool accepted{false};
    bool discovers{false};  ///< its cell has accepted nothing yet
    double value{0};        ///< objective - threshold; of a cell without any, the objective
};

/// The members of a batch, all against the same thresholds.
[[nodiscard]] std::vector<Improvement> improvements(ThresholdRule const& rule,
                                                    std::map<CellId, double> const& thresholds,
                                                    std::span<CellId const> cells,
                                                    std::span<double const> objectives);

/// Moves the threshold of each cell that accepts members of a batch: with n of them, whose mean
/// objective is f, t <- (1 - rate)^n t + (1 - (1 - rate)^n) f.
void update_thresholds(ThresholdRule const& rule, std::map<CellId, double>& thresholds,
                       std::span<CellId const> cells, std::span<double const> objectives);

/// Numbers whose order is that of the improvements: with a floor, their values; without (CMA-ME),
/// discoveries before improvements of a cell before the others, each by value.
[[nodiscard]] std::vector<double> ranking_values(ThresholdRule const& rule,
                                                 std::span<Improvement const> improvements);

}  // namespace mees

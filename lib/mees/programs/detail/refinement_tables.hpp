#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/storage/map/document.hpp"

#include <string>
#include <vector>

// What mees_refine prints for people.

namespace mees {

/// The text of --dry-run, apart from the time: cells and episodes.
[[nodiscard]] std::string refinement_plan(Refinement const& refinement,
                                          SearchProblem const& problem);

/// What the controller that was measured last for a cell does.
[[nodiscard]] std::string describe_target(RefinementTarget const& target,
                                          std::vector<std::string> const& bc_names);

/// A map's figures before and after, and what came of its cells.
[[nodiscard]] std::string refinement_table(MapDocument const& before, MapDocument const& after);

}  // namespace mees

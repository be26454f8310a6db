#pragma once

#include "mees/core/stop.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/storage/map/document.hpp"

#include <cstdint>
#include <optional>

namespace mees {

/// Evaluates every elite of a map again, in episodes that the search has not seen and that are the
/// same for all elites.
///
/// In the resulting map each elite is in the cell of its new BC with its new fitness; the fittest
/// wins each cell. The last row of the history describes the new map. `reevaluation` has the
/// results of each elite. Empty if a stop was requested meanwhile.
[[nodiscard]] std::optional<MapDocument> reevaluate(MapDocument document, std::int32_t episodes,
                                                    std::int64_t seed, Evaluator& evaluator,
                                                    StopToken& stop);

}  // namespace mees

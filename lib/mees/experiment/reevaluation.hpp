#pragma once

#include "mees/core/stop.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/storage/map/document.hpp"

#include <cstdint>
#include <optional>

namespace mees {

/// Measures every elite of a map again, in episodes that the search has not seen and that are the
/// same for all of them.
///
/// In the map that results each elite stands in the cell of its new BC with its new fitness; where
/// several come to the same cell the fittest stays. The history's last row tells of the new map.
/// `reevaluation` holds what became of each elite. Nothing if a stop was requested meanwhile.
[[nodiscard]] std::optional<MapDocument> reevaluate(MapDocument document, std::int32_t episodes,
                                                    std::int64_t seed, Evaluator& evaluator,
                                                    StopToken& stop);

}  // namespace mees

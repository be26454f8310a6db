#pragma once

#include "mees/core/stop.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/storage/map/document.hpp"

#include <cstdint>
#include <optional>

namespace mees {

/// How elites are evaluated again.
struct ReevaluationSettings {
    std::int32_t episodes{30};  ///< of each
    std::int64_t seed{0};       ///< of their initial states
    bool independent{false};    ///< different initial states for each elite
    /// Changes of the model in which every elite is evaluated too; the evaluator's domains are the
    /// robot as it is, then each variant.
    std::optional<ModelVariants> variants{};
};

/// Evaluates every elite of a map again, in episodes that the search has not seen and that, unless
/// `independent`, are the same for all elites.
///
/// In the resulting map each elite is in the cell of its new BC with its new fitness; the fittest
/// wins each cell. The last row of the history describes the new map. `reevaluation` has the
/// results of each elite. Variants do not decide which elites are kept; in variant v an elite has
/// the initial states v * episodes, ..., which are the same for all elites. Empty if a stop was
/// requested meanwhile.
[[nodiscard]] std::optional<MapDocument> reevaluate(MapDocument document,
                                                    ReevaluationSettings const& settings,
                                                    Evaluator& evaluator, StopToken& stop);

}  // namespace mees

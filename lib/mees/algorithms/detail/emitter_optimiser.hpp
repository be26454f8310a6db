#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/algorithms/state.hpp"

#include <cstdint>
#include <span>

namespace mees {

// How an emitter of CMA-MAE and CMA-ME samples its offspring and steps, by
// algorithm.emitter_optimizer.

/// Gives the emitter what its optimiser keeps, if it has not got it.
void prepare_optimiser(SearchProblem const& problem, Emitter& emitter);

/// The emitter's offspring of the next generation, each to be measured; `slot` distinguishes the
/// emitters.
[[nodiscard]] Group emitter_offspring(SearchProblem const& problem, State const& state,
                                      Emitter const& emitter, std::int64_t slot);

struct EmitterStep {
    Emitter emitter;
    bool has_ended{false};  ///< the optimiser cannot go further from there
};

/// The emitter after the step that its offspring's ranking values, which are not all equal, give.
/// Where the two of every mirrored pair tie, only its age changes.
[[nodiscard]] EmitterStep emitter_step(SearchProblem const& problem, Emitter emitter,
                                       Group const& group, std::span<double const> values,
                                       Generation generation, NoiseSource& noise);

}  // namespace mees

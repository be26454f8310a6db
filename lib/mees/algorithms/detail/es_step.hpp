#pragma once

#include "mees/algorithms/objective.hpp"
#include "mees/algorithms/state.hpp"
#include "mees/config/settings.hpp"
#include "mees/evaluation/noise_source.hpp"

namespace mees {

/// The emitter after one ES step along the gradient that `terms` form, with the learning rate and
/// sigma of its age; where all its offspring tie, only its age changes.
[[nodiscard]] Emitter es_step(EsSettings const& settings, Emitter emitter,
                              GradientTerms const& terms, NoiseSource& noise);

}  // namespace mees

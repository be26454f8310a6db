#include "mees/algorithms/detail/es_step.hpp"

#include "mees/algorithms/detail/groups.hpp"
#include "mees/es/optimiser.hpp"

namespace mees {

Emitter es_step(EsSettings const& settings, Emitter emitter, GradientTerms const& terms,
                NoiseSource& noise)
{
    auto optimiser = optimiser_settings(settings);
    optimiser.learning_rate = decayed(settings.learning_rate, settings.learning_rate_decay,
                                      settings.learning_rate_limit, emitter.steps);
    auto const sigma =
        decayed(settings.sigma, settings.sigma_decay, settings.sigma_limit, emitter.steps);
    ++emitter.steps;
    if (terms.are_zero()) {
        return emitter;
    }
    auto ascent = noise.weighted_sum(terms.offsets, terms.weights, emitter.theta.size());
    double const divisor =
        static_cast<double>(terms.weights.size()) * (settings.divide_by_sigma ? sigma : 1.0);
    ascent /= static_cast<float>(divisor);
    emitter.theta = optimiser_step(optimiser, emitter.optimiser, emitter.theta, ascent);
    return emitter;
}

}  // namespace mees

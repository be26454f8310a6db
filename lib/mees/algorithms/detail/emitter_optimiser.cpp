#include "mees/algorithms/detail/emitter_optimiser.hpp"

#include "mees/algorithms/detail/groups.hpp"
#include "mees/algorithms/detail/improvement.hpp"
#include "mees/algorithms/objective.hpp"
#include "mees/core/error.hpp"
#include "mees/core/statistics.hpp"

#include <utility>

namespace mees {
namespace {

/// An emitter whose relative change is smaller has come to rest (Tjanaka et al.).
constexpr double smallest_change = 1e-9;

Group separable_offspring(SearchProblem const& problem, State const& state, Emitter const& emitter,
                          std::int64_t slot)
{
    auto const generation = state.generation.next();
    auto group =
        evaluation_group(problem, make_controller(problem, state, emitter.theta), generation, slot);
    group.sigma = static_cast<float>(emitter.cma.sigma);
    group.scale =
        std::make_shared<Eigen::VectorXf const>(emitter.cma.covariance.cwiseSqrt().cast<float>());
    auto const seeds = problem.settings.es.seeds;
    group.seeds = seeds == SharedSeeds::pair ? SharedSeeds::own : seeds;  // there are no pairs
    group.observation_fraction = observation_fraction(problem);
    group.offsets = draw_offsets(problem, generation, slot, problem.settings.es.population);
    return group;
}

EmitterStep gradient_step(SearchProblem const& problem, Emitter emitter, Group const& group,
                          std::span<double const> values, Generation generation, NoiseSource& noise)
{
    auto es = problem.settings.es;
    if (!problem.algorithm.known.names(KeyGroup::utilities)) {
        es.utility = Utility::ranks;
    }
    std::vector<std::vector<double>> const ranked{{values.begin(), values.end()}};
    auto const terms = value_gradients(ranked, group.offsets, es).front();
    auto optimiser = optimiser_settings(es);
    optimiser.learning_rate =
        decayed(es.learning_rate, es.learning_rate_decay, es.learning_rate_limit, emitter.steps);
    ++emitter.steps;
    if (terms.are_zero()) {
        return {std::move(emitter), false};
    }
    auto ascent =
        noise.weighted_sum(terms.offsets, terms.weights, problem.network.parameter_count());
    ascent /= static_cast<float>(static_cast<double>(terms.weights.size())
                                 * (es.divide_by_sigma ? static_cast<double>(group.sigma) : 1.0));
    auto const before = emitter.theta;
    emitter.theta = optimiser_step(optimiser, emitter.optimiser, before, ascent);
    require_finite(emitter, generation);
    Eigen::VectorXf const change = emitter.theta - before;
    bool const rests =
        sum_of_squares(change) < smallest_change * smallest_change * sum_of_squares(emitter.theta);
    return {std::move(emitter), rests};
}

/// An emitter that has diverged ends, too: unlike the other optimiser's, its sigma may grow.
EmitterStep separable_step(SearchProblem const& problem, Emitter emitter, Group const& group,
                           std::span<double const> values, NoiseSource const& noise)
{
    auto const parameters = problem.network.parameter_count();
    auto const rates = separable_cma_rates(parameters, std::ssize(values));
    auto const order = best_first(values);
    std::vector<NoiseOffset> offsets;
    for (std::size_t i = 0; i < rates.weights.size(); ++i) {
        offsets.push_back(group.offsets[order[i]]);
    }
    auto const moments = noise_moments(noise.values(), offsets, rates.weights, parameters);
    Eigen::VectorXd const step =
        emitter.cma.sigma * emitter.cma.covariance.cwiseSqrt().cwiseProduct(moments.first);
    emitter.theta = (emitter.theta.cast<double>() + step).cast<float>();
    emitter.cma = adapted_separable(rates, std::move(emitter.cma), moments.first, moments.second);
    ++emitter.steps;
    bool const useless = !emitter.theta.allFinite() || is_degenerate_separable(emitter.cma);
    return {std::move(emitter), useless};
}

}  // namespace

void prepare_optimiser(SearchProblem const& problem, Emitter& emitter)
{
    switch (problem.settings.algorithm.emitter_optimizer) {
        case EmitterOptimiser::openai_es:
            return;
        case EmitterOptimiser::sep_cma_es:
            if (emitter.cma.covariance.size() == 0) {
                emitter.cma = initial_separable_cma(problem.network.parameter_count(),
                                                    problem.settings.es.sigma);
            }
            return;
    }
    contract_violated("a known optimiser of emitters");
}

Group emitter_offspring(SearchProblem const& problem, State const& state, Emitter const& emitter,
                        std::int64_t slot)
{
    auto const& settings = problem.settings;
    Group group;
    switch (settings.algorithm.emitter_optimizer) {
        case EmitterOptimiser::openai_es:
            group = offspring_group(problem, make_controller(problem, state, emitter.theta),
                                    state.generation.next(), slot, emitter.steps);
            break;
        case EmitterOptimiser::sep_cma_es:
            group = separable_offspring(problem, state, emitter, slot);
            break;
    }
    group.kind = EpisodeKind::evaluation;
    group.action_noise = 0;
    group.repeats = static_cast<std::int32_t>(settings.algorithm.n_eval);
    group.first_stream = slot * settings.es.population * settings.algorithm.n_eval;
    return group;
}

EmitterStep emitter_step(SearchProblem const& problem, Emitter emitter, Group const& group,
                         std::span<double const> values, Generation generation, NoiseSource& noise)
{
    switch (problem.settings.algorithm.emitter_optimizer) {
        case EmitterOptimiser::openai_es:
            return gradient_step(problem, std::move(emitter), group, values, generation, noise);
        case EmitterOptimiser::sep_cma_es:
            return separable_step(problem, std::move(emitter), group, values, noise);
    }
    contract_violated("a known optimiser of emitters");
}

}  // namespace mees

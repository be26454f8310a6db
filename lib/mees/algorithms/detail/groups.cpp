#include "mees/algorithms/detail/groups.hpp"

#include "mees/core/error.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/es/optimiser.hpp"
#include "mees/es/perturbation.hpp"

#include <fmt/format.h>

#include <utility>

namespace mees {

Stream run_stream(SearchProblem const& problem, Purpose purpose, Generation generation,
                  std::int64_t index)
{
    return {static_cast<std::uint64_t>(problem.settings.run.seed), purpose, generation, index};
}

ControllerPtr make_controller(SearchProblem const& problem, State const& state,
                              Eigen::VectorXf theta, ControllerPtr before)
{
    return std::make_shared<Controller const>(
        Controller{std::move(theta),
                   problem.settings.policy.normalise_observations
                       ? state.observations.normaliser()
                       : Normaliser::identity(problem.network.inputs()),
                   std::move(before)});
}

ControllerPtr controller_of_member(Group const& group, std::int64_t member,
                                   std::span<float const> noise)
{
    Eigen::VectorXf theta(group.centre->parameters.size());
    perturb(group, member, noise, {theta.data(), static_cast<std::size_t>(theta.size())});
    return std::make_shared<Controller const>(
        Controller{std::move(theta), group.centre->normaliser, group.centre->before});
}

double observation_fraction(SearchProblem const& problem)
{
    auto const& policy = problem.settings.policy;
    return policy.normalise_observations ? policy.observation_fraction : 0;
}

std::vector<NoiseOffset> draw_offsets(SearchProblem const& problem, Generation generation,
                                      std::int64_t slot, std::int64_t count)
{
    auto stream = run_stream(problem, Purpose::noise_offset, generation, slot);
    std::vector<NoiseOffset> offsets;
    offsets.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        offsets.push_back(draw_offset(stream, problem.settings.noise.table_size,
                                      problem.network.parameter_count()));
    }
    return offsets;
}

Group evaluation_group(SearchProblem const& problem, ControllerPtr centre, Generation generation,
                       std::int64_t slot)
{
    auto const repeats = problem.settings.algorithm.n_eval;
    Group group;
    group.centre = std::move(centre);
    group.generation = generation;
    group.kind = EpisodeKind::evaluation;
    group.first_stream = slot * repeats;
    group.repeats = static_cast<std::int32_t>(repeats);
    return group;
}

Group offspring_group(SearchProblem const& problem, ControllerPtr centre, Generation generation,
                      std::int64_t slot, std::int64_t steps)
{
    auto const& es = problem.settings.es;
    Group group;
    group.centre = std::move(centre);
    group.generation = generation;
    group.kind = EpisodeKind::training;
    group.first_stream = slot * es.population * es.episodes_per_offspring;
    group.sigma = static_cast<float>(decayed(es.sigma, es.sigma_decay, es.sigma_limit, steps));
    group.mirrored = true;
    group.seeds = es.seeds;
    group.repeats = static_cast<std::int32_t>(es.episodes_per_offspring);
    group.action_noise = static_cast<float>(problem.settings.policy.action_noise);
    group.observation_fraction = observation_fraction(problem);
    group.offsets = draw_offsets(problem, generation, slot, es.population / 2);
    return group;
}

OptimiserSettings optimiser_settings(EsSettings const& settings)
{
    OptimiserSettings result;
    result.kind = settings.optimizer;
    result.learning_rate = settings.learning_rate;
    result.l2 = settings.l2;
    result.speed_limit = settings.clipup_speed;
    return result;
}

void require_finite(Emitter const& emitter, Generation generation)
{
    if (!emitter.theta.allFinite() || !emitter.optimiser.first_moment.allFinite()
        || !emitter.optimiser.second_moment.allFinite()) {
        throw Error{ExitCode::failure,
                    fmt::format("the search diverged in generation {}", generation.value()),
                    "a parameter of its controller is not finite",
                    "Start over with a smaller es.learning_rate, es.l2 or es.sigma."};
    }
}

}  // namespace mees

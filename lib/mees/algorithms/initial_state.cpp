#include "mees/algorithms/algorithm.hpp"
#include "mees/algorithms/search_size.hpp"

namespace mees {
namespace {

NoveltySettings novelty_settings(AlgorithmSettings const& settings)
{
    return {settings.novelty_k, settings.novelty_metric == "squared" ? NoveltyMetric::squared
                                                                     : NoveltyMetric::euclidean};
}

Emitter initial_emitter(SearchProblem const& problem, std::int64_t index)
{
    auto const& settings = problem.settings;
    Stream const stream{static_cast<std::uint64_t>(settings.run.seed), Purpose::initial_parameters,
                        Generation{0}, index};
    Emitter emitter;
    auto const& policy = settings.policy;
    emitter.theta = policy.init == "xavier"
                        ? xavier_parameters(problem.network, stream)
                        : normc_parameters(problem.network, stream, policy.hidden_norm);
    return emitter;
}

}  // namespace

State initial_state(SearchProblem const& problem)
{
    auto const& settings = problem.settings;
    State state{EliteMap{problem.space},
                NoveltyArchive{problem.space.dimensions(), novelty_settings(settings.algorithm)},
                ObservationMoments::prior(problem.network.inputs())};
    for (std::int64_t i = 0; i < search_size(settings.algorithm).initial; ++i) {
        state.emitters.push_back(initial_emitter(problem, i));
    }
    state.nsra.weight = settings.algorithm.nsra_weight;
    return state;
}

}  // namespace mees

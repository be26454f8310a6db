#include "mees/algorithms/algorithm.hpp"
#include "mees/algorithms/search_size.hpp"
#include "mees/core/error.hpp"

namespace mees {
namespace {

Eigen::VectorXf initial_parameters(NetworkShape const& network, PolicySettings const& settings,
                                   Stream const& stream)
{
    switch (settings.init) {
        case PolicyInit::normc:
            return normc_parameters(network, stream, settings.hidden_norm);
        case PolicyInit::xavier:
            return xavier_parameters(network, stream);
    }
    contract_violated("a known initialisation");
}

Emitter initial_emitter(SearchProblem const& problem, std::int64_t index)
{
    auto const& settings = problem.settings;
    Stream const stream{static_cast<std::uint64_t>(settings.run.seed), Purpose::initial_parameters,
                        Generation{0}, index};
    Emitter emitter;
    emitter.theta = initial_parameters(problem.network, settings.policy, stream);
    return emitter;
}

}  // namespace

State initial_state(SearchProblem const& problem)
{
    auto const& settings = problem.settings;
    State state{EliteMap{problem.space},
                NoveltyArchive{problem.space.dimensions(),
                               {settings.algorithm.novelty_k, settings.algorithm.novelty_metric}},
                ObservationMoments::prior(problem.network.inputs())};
    for (std::int64_t i = 0; i < search_size(settings.algorithm).initial; ++i) {
        state.emitters.push_back(initial_emitter(problem, i));
    }
    state.nsra.weight = settings.algorithm.nsra_weight;
    return state;
}

}  // namespace mees

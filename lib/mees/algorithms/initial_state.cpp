#include "mees/algorithms/algorithm.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mees {

Eigen::VectorXf initial_parameters(SearchProblem const& problem, std::int64_t index)
{
    auto const& settings = problem.settings;
    Stream const stream{static_cast<std::uint64_t>(settings.run.seed), Purpose::initial_parameters,
                        Generation{0}, index};
    switch (settings.policy.init) {
        case PolicyInit::normc:
            return normc_parameters(problem.network, stream, settings.policy.hidden_norm);
        case PolicyInit::xavier:
            return xavier_parameters(problem.network, stream);
    }
    contract_violated("a known initialisation");
}

std::int64_t SearchProblem::initial_episodes() const
{
    return size().initial * settings.algorithm.n_eval + size().repeated;
}

std::int64_t SearchProblem::episodes_per_generation(SearchSize const& size) const
{
    auto const offspring = size.populations * settings.es.population;
    auto const confirmed = algorithm.known.names(KeyGroup::es_step)
                               ? size.populations * settings.algorithm.confirm_offspring
                               : 0;
    auto const episodes =
        size.measures_offspring ? settings.algorithm.n_eval : settings.es.episodes_per_offspring;
    return offspring * episodes + (size.measured + confirmed) * settings.algorithm.n_eval
           + size.repeated;
}

std::string SearchProblem::label() const
{
    auto const& name = algorithm.name();
    return algorithm.known.names(KeyGroup::modes)
               ? fmt::format("{} {}", name, name_of(settings.algorithm.mode))
               : name;
}

std::unique_ptr<Algorithm> make_algorithm(SearchProblemPtr const& problem, State state)
{
    return problem->algorithm.make(problem, std::move(state));
}

State initial_state(SearchProblem const& problem)
{
    auto const& settings = problem.settings;
    bool const windowed = problem.algorithm.known.names(KeyGroup::memes);
    State state{EliteMap{problem.space},
                NoveltyArchive{problem.space.dimensions(),
                               {settings.algorithm.novelty_k, settings.algorithm.novelty_metric,
                                windowed ? settings.algorithm.novelty_window : 0}},
                ObservationMoments::prior(problem.network.inputs())};
    for (std::int64_t i = 0; i < problem.size().initial; ++i) {
        state.emitters.emplace_back().theta = initial_parameters(problem, i);
    }
    state.nsra.weight = settings.algorithm.nsra_weight;
    return state;
}

State initial_state(SearchProblem const& problem, StartElites start)
{
    auto state = initial_state(problem);
    for (std::size_t i = 0; i < std::min(state.emitters.size(), start.elites.size()); ++i) {
        state.emitters[i].theta = start.elites[i].controller->parameters.values();
        state.emitters[i].before = start.elites[i].controller->before;
    }
    state.observations = std::move(start.observations);
    state.candidates = std::move(start.elites);
    return state;
}

}  // namespace mees

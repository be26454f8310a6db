#include "mees/experiment/estimate.hpp"

#include <algorithm>

namespace mees {
namespace {

constexpr std::int64_t rank_bytes = 35'000'000;  ///< program, MPI, libraries, small physics model

std::int64_t bytes_of(DomainDocument const& document)
{
    auto bytes = std::ssize(document.model) + std::ssize(document.description);
    for (auto const& asset : document.assets) {
        bytes += std::ssize(asset.content);
    }
    return bytes;
}

}  // namespace

Estimate estimate(SearchProblem const& problem, DomainDocument const* carried)
{
    auto const& settings = problem.settings;
    Estimate result;
    result.cells = problem.space.cells();
    result.parameters = problem.network.parameter_count();
    result.episodes_per_generation = problem.episodes_per_generation();
    auto const size = problem.size();
    result.episodes =
        problem.initial_episodes() + settings.run.generations * result.episodes_per_generation;
    auto const offspring = size.measures_offspring ? size.populations * settings.es.population : 0;
    auto const made = size.initial + settings.run.generations * (size.measured + offspring);
    result.elites = std::min(result.cells, made);

    auto const controller = 4 * result.parameters;
    auto const normaliser = 16 * problem.network.inputs();
    auto const row = controller + normaliser + 100 + 12 * problem.space.dimensions();
    auto const history = settings.run.generations * 150;
    auto const optimisers = size.optimised * 3 * controller;
    result.noise_bytes = 4 * settings.noise.table_size;
    result.worker_bytes = rank_bytes + 2 * controller;
    auto const domain = carried != nullptr ? bytes_of(*carried) : 0;
    result.checkpoint_bytes = result.elites * row + optimisers + history + domain;
    auto const searched = std::max(2 * optimisers, size.initial * controller);
    result.master_bytes = rank_bytes + result.elites * row + searched + history + domain
                          + result.episodes_per_generation * (24 + 8 * problem.space.dimensions());
    auto const kept =
        settings.checkpoint.keep > 0 ? settings.run.generations / settings.checkpoint.keep : 0;
    result.disk_bytes = (3 + kept) * result.checkpoint_bytes;
    return result;
}

}  // namespace mees

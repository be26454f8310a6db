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
    auto const optimisers = size.optimised * size.parameter_bytes * result.parameters;
    auto const earlier = settings.algorithm.chain_links - 1;  // links of a chain
    auto const links = std::min(earlier * result.elites, settings.run.generations * size.optimised)
                           * (controller + normaliser)
                       + 4 * earlier * result.elites;
    result.noise_bytes = 4 * settings.noise.table_size;
    result.worker_bytes = rank_bytes + 2 * (1 + earlier) * controller;
    auto const domain = carried != nullptr ? bytes_of(*carried) : 0;
    result.checkpoint_bytes = result.elites * row + links + optimisers + history + domain;
    auto const searched = std::max(2 * optimisers, size.initial * controller);
    result.master_bytes = rank_bytes + result.elites * row + links + searched + history + domain
                          + result.episodes_per_generation * (24 + 8 * problem.space.dimensions());
    auto const kept =
        settings.checkpoint.keep > 0 ? settings.run.generations / settings.checkpoint.keep : 0;
    // map.h5, map.prev.h5, a new one, and the changes since the first two: each less than half a
    // map before the last one, which is at most a map.
    auto const least = settings.checkpoint.changes_above_megabytes * 1e6;
    bool const has_changes = least > 0 && static_cast<double>(result.checkpoint_bytes) > least;
    result.disk_bytes = ((has_changes ? 6 : 3) + kept) * result.checkpoint_bytes;
    return result;
}

}  // namespace mees

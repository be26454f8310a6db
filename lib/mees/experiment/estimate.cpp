#include "mees/experiment/estimate.hpp"

#include "mees/experiment/problem.hpp"

#include <algorithm>
#include <limits>

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

/// Episodes of a generation whose offspring make es.steps_per_generation control steps, if each
/// episode has `episode_steps`.
std::int64_t generation_episodes(SearchProblem const& problem, SearchSize const& size,
                                 std::int64_t episode_steps)
{
    auto const& es = problem.settings.es;
    auto const one = problem.episodes_per_generation(size);
    auto const block = size.populations * es.population * es.episodes_per_offspring;
    if (es.steps_per_generation == 0 || !problem.algorithm.known.names(KeyGroup::es_step)) {
        return one;
    }
    auto const steps = block * std::max<std::int64_t>(episode_steps, 1);
    auto const blocks = es.steps_per_generation / steps + (es.steps_per_generation % steps != 0);
    return one + (blocks - 1) * block;
}

/// a + b c, or the largest number.
std::int64_t sum_of(std::int64_t a, std::int64_t b, std::int64_t c)
{
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    return b > 0 && c > (most - a) / b ? most : a + b * c;
}

/// Episodes of all generations after the first, added to `initial`.
std::int64_t run_episodes(SearchProblem const& problem, std::int64_t initial,
                          std::int64_t episode_steps)
{
    auto size = problem.size();
    auto left = problem.settings.run.generations;
    auto total = initial;
    while (size.halved_every > 0 && size.populations > 1 && left > size.halved_every) {
        total = sum_of(total, size.halved_every, generation_episodes(problem, size, episode_steps));
        left -= size.halved_every;
        size.populations = (size.populations + 1) / 2;
        size.measured = size.populations;
    }
    return sum_of(total, left, generation_episodes(problem, size, episode_steps));
}

}  // namespace

Estimate estimate(SearchProblem const& problem, DomainDocument const* carried,
                  std::int64_t episode_steps, std::int64_t start_elites)
{
    auto const& settings = problem.settings;
    Estimate result;
    result.cells = problem.space.cells();
    result.parameters = problem.network.parameter_count();
    auto const size = problem.size();
    result.episodes_per_generation = generation_episodes(problem, size, episode_steps);
    result.most_episodes_per_generation = generation_episodes(problem, size, 1);
    auto const initial = problem.initial_episodes() + start_elites * settings.algorithm.n_eval;
    result.episodes = run_episodes(problem, initial, episode_steps);
    result.most_episodes = run_episodes(problem, initial, 1);
    auto const offspring = size.measures_offspring ? size.populations * settings.es.population : 0;
    auto const made =
        start_elites + size.initial + settings.run.generations * (size.measured + offspring);
    result.elites = std::min(result.cells, made);

    auto const controller = 4 * result.parameters;
    auto const normaliser = 16 * problem.network.inputs();
    auto const row = controller + normaliser + 100 + 12 * problem.space.dimensions();
    auto const history = settings.run.generations * 150;
    auto const optimisers = size.optimised * size.parameter_bytes * result.parameters;
    auto const earlier = most_links(settings.algorithm, problem.algorithm) - 1;
    auto const links = std::min(earlier * result.elites, settings.run.generations * size.optimised)
                           * (controller + normaliser)
                       + 4 * earlier * result.elites;
    result.noise_bytes = 4 * settings.noise.table_size;
    result.worker_bytes = rank_bytes + 2 * (1 + earlier) * controller;
    auto const domain = carried != nullptr ? bytes_of(*carried) : 0;
    result.checkpoint_bytes = result.elites * row + links + optimisers + history + domain;
    auto const elites = result.elites * controller;
    auto const limit = settings.map.memory_limit_bytes().value_or(elites);
    result.scratch_bytes = std::max<std::int64_t>(elites - limit, 0);
    auto const searched = std::max(2 * optimisers, (size.initial + start_elites) * controller);
    result.master_bytes =
        rank_bytes + result.elites * row - result.scratch_bytes + links + searched + history
        + domain + result.most_episodes_per_generation * (24 + 8 * problem.space.dimensions());
    auto const kept =
        settings.checkpoint.keep > 0 ? settings.run.generations / settings.checkpoint.keep : 0;
    // map.h5, map.prev.h5, a new one, and the changes since the first two: each less than half a
    // map before the last one, which is at most a map.
    auto const least = settings.checkpoint.changes_above_megabytes * 1e6;
    bool const has_changes = least > 0 && static_cast<double>(result.checkpoint_bytes) > least;
    result.disk_bytes =
        ((has_changes ? 6 : 3) + kept) * result.checkpoint_bytes + result.scratch_bytes;
    return result;
}

}  // namespace mees

#include "mees/experiment/estimate.hpp"

#include "mees/algorithms/search_size.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mees {
namespace {

constexpr std::int64_t rank_bytes = 20'000'000;  ///< program, MPI and a small physics model

}  // namespace

std::string human_bytes(std::int64_t bytes)
{
    auto value = static_cast<double>(bytes);
    char const* unit = "B";
    for (auto const* next : {"kB", "MB", "GB", "TB"}) {
        if (value < 1000) {
            break;
        }
        value /= 1000;
        unit = next;
    }
    return fmt::format("{:.3g} {}", value, unit);
}

Estimate estimate(SearchProblem const& problem)
{
    auto const& settings = problem.settings;
    Estimate result;
    result.cells = problem.space.cells();
    result.parameters = problem.network.parameter_count();
    result.episodes_per_generation = episodes_per_generation(settings);
    auto const size = search_size(settings.algorithm);
    result.episodes = size.initial * settings.algorithm.n_eval
                      + settings.run.generations * result.episodes_per_generation;
    auto const made = size.initial + settings.run.generations * size.measured;
    result.elites = std::min(result.cells, made);

    auto const controller = 4 * result.parameters;
    auto const normaliser = 16 * problem.network.inputs();
    auto const row = controller + normaliser + 100 + 12 * problem.space.dimensions();
    auto const history = settings.run.generations * 150;
    auto const optimisers = size.optimised * 3 * controller;
    result.noise_bytes = 4 * settings.noise.table_size;
    result.worker_bytes = rank_bytes + 2 * controller;
    result.checkpoint_bytes = result.elites * row + optimisers + history;
    result.master_bytes = rank_bytes + result.elites * row + 2 * optimisers + history
                          + result.episodes_per_generation * (24 + 8 * problem.space.dimensions());
    auto const kept =
        settings.checkpoint.keep > 0 ? settings.run.generations / settings.checkpoint.keep : 0;
    result.disk_bytes = (3 + kept) * result.checkpoint_bytes;
    return result;
}

std::string describe(Estimate const& estimate, SearchProblem const& problem, TaskSpec const& spec)
{
    auto const& settings = problem.settings;
    std::string text;
    auto const line = [&](std::string_view name, std::string const& value) {
        text += fmt::format("{:<24}{}\n", name, value);
    };
    line("algorithm", settings.algorithm.name == "me-es"
                          ? fmt::format("me-es, {}", settings.algorithm.mode)
                          : settings.algorithm.name);
    line("domain", fmt::format("{}, {} steps an episode", spec.name, spec.episode_steps));
    line("network", fmt::format("{}", fmt::join(problem.network.layers(), " x ")));
    line("parameters", fmt::format("{}", estimate.parameters));
    line("behaviour", fmt::format("{}", fmt::join(spec.bc_names, ", ")));
    line("cells", problem.space.is_grid() ? fmt::format("{} ({})", estimate.cells,
                                                        fmt::join(problem.space.bins(), " x "))
                                          : fmt::format("{} (CVT)", estimate.cells));
    line("generations", fmt::format("{}", settings.run.generations));
    line("episodes a generation", fmt::format("{}", estimate.episodes_per_generation));
    line("episodes in all", fmt::format("{}", estimate.episodes));
    line("noise table", fmt::format("{} on each node", human_bytes(estimate.noise_bytes)));
    line("memory of the master", fmt::format("up to {}", human_bytes(estimate.master_bytes)));
    line("memory of a worker", human_bytes(estimate.worker_bytes));
    line("a checkpoint", fmt::format("up to {}", human_bytes(estimate.checkpoint_bytes)));
    line("disk", fmt::format("up to {}", human_bytes(estimate.disk_bytes)));
    return text;
}

}  // namespace mees

#include "mees/programs/detail/refinement_tables.hpp"

#include "mees/experiment/refinement.hpp"
#include "mees/report/format.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mees {

std::string refinement_plan(Refinement const& refinement, SearchProblem const& problem)
{
    auto const& settings = refinement.settings;
    auto const& targets = refinement.progress.targets;
    auto const filled = std::ranges::count(targets, true, &RefinementTarget::was_filled);
    std::string text;
    auto const add = [&](std::string_view name, std::string const& value) {
        text += line(name, 25, value);
    };
    add("cells to refine",
        fmt::format("{} ({} filled, {} empty), {} at once", targets.size(), filled,
                    std::ssize(targets) - filled, settings.cells_at_once));
    add("ES steps per cell",
        fmt::format("{} with {} offspring, sigma {}, learning rate {}", settings.steps,
                    refinement.population, plain_number(refinement.sigma),
                    plain_number(refinement.learning_rate)));
    add("measurements per cell",
        fmt::format("{} of {} episodes", settings.evaluations(), refinement.n_eval));
    add("episodes per cell", grouped(refinement_episodes(problem, settings, 1)));
    add("total episodes", grouped(refinement_episodes(problem, settings, std::ssize(targets))));
    return text;
}

std::string describe_target(RefinementTarget const& target,
                            std::vector<std::string> const& bc_names)
{
    return fmt::format("cell {}: {}, the last controller has fitness {} at {}", target.cell.value(),
                       target.reached ? "reached" : "not reached", short_number(target.fitness),
                       describe_behaviour(target.bc, bc_names));
}

std::string refinement_table(MapDocument const& before, MapDocument const& after)
{
    std::int64_t done = 0;
    std::int64_t filled = 0;
    std::int64_t improved = 0;
    auto const& targets = after.refinement.value().progress.targets;
    for (auto const& target : targets) {
        auto const* const elite = after.state.map.find(target.cell);
        done += target.done ? 1 : 0;
        filled += !target.was_filled && elite != nullptr ? 1 : 0;
        improved += target.was_filled && elite->fitness > target.stored_fitness ? 1 : 0;
    }
    auto const best = [](MapDocument const& document) {
        auto const& map = document.state.map;
        return short_number(map.find(best_cell(map).value())->fitness);
    };
    auto const score = [&](MapDocument const& document) {
        return short_number(qd_score(document.state.map, document.qd_offset));
    };
    auto const coverage = [](MapDocument const& document) {
        return fmt::format("{}", document.state.map.filled());
    };
    std::string text =
        fmt::format("{} of {} cells done, {} episodes: {} filled, {} improved\n", done,
                    targets.size(), grouped(after.refinement->progress.episodes), filled, improved);
    text += line("", 12, {"before", "after"}, 14);
    text += line("coverage", 12, {coverage(before), coverage(after)}, 14);
    text += line("best", 12, {best(before), best(after)}, 14);
    text += line("QD score", 12, {score(before), score(after)}, 14);
    return text;
}

}  // namespace mees

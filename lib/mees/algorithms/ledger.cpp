#include "mees/algorithms/ledger.hpp"

#include "mees/core/statistics.hpp"

#include <ranges>
#include <utility>

namespace mees {

Measured measure(BatchResult const& result, EpisodeRange range)
{
    auto const episodes = std::views::iota(range.first, range.first + range.count);
    auto const fitness = episodes | std::views::transform([&](std::int64_t i) {
                             return result.outcomes[static_cast<std::size_t>(i)].fitness;
                         });
    Measured measured;
    measured.fitness = mean_of(fitness);
    measured.fitness_std = standard_deviation_of(fitness, measured.fitness);
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(result.bc_size); ++axis) {
        measured.bc.push_back(mean_of(
            episodes | std::views::transform([&](std::int64_t i) { return result.bc(i)[axis]; })));
    }
    return measured;
}

void count_episodes(State& state, BatchResult const& result, EpisodeRange range)
{
    state.episodes += range.count;
    for (auto i = range.first; i < range.first + range.count; ++i) {
        auto const& outcome = result.outcomes[static_cast<std::size_t>(i)];
        state.steps += outcome.steps;
        state.diverged += outcome.end == EpisodeEnd::diverged ? 1 : 0;
    }
}

void merge_observations(State& state, BatchResult const& result, EpisodeRange range)
{
    for (auto const& sampled : result.observations) {
        if (sampled.episode >= range.first && sampled.episode < range.first + range.count) {
            state.observations.merge(sampled.moments);
        }
    }
}

Entered enter_with_novelty(State& state, Candidate candidate)
{
    Entered entered;
    entered.novelty = state.archive.novelty(candidate.measured.bc);
    entered.archive_entry = state.archive.size();
    auto const bc = candidate.measured.bc;
    auto const insertion = state.map.insert({
        .controller = std::move(candidate.controller),
        .bc = bc,
        .fitness = candidate.measured.fitness,
        .fitness_std = candidate.measured.fitness_std,
        .novelty = entered.novelty,
        .generation = state.generation,
        .parent_cell = candidate.parent_cell,
        .archive_entry = entered.archive_entry,
    });
    state.archive.add(bc);
    entered.cell = insertion.cell;
    entered.outcome = insertion.outcome;
    return entered;
}

Entered enter_without_novelty(State& state, Candidate candidate)
{
    auto const insertion = state.map.insert({
        .controller = std::move(candidate.controller),
        .bc = std::move(candidate.measured.bc),
        .fitness = candidate.measured.fitness,
        .fitness_std = candidate.measured.fitness_std,
        .generation = state.generation,
        .parent_cell = candidate.parent_cell,
    });
    return {.cell = insertion.cell, .outcome = insertion.outcome};
}

void record_generation(State& state, SearchProblem const& problem, GenerationSummary const& summary)
{
    auto const best = best_cell(state.map);
    state.history.push_back({
        .generation = state.generation,
        .mode = summary.mode,
        .parent_cell = summary.parent_cell,
        .fitness = summary.measured.fitness,
        .fitness_std = summary.measured.fitness_std,
        .novelty = summary.entered.novelty,
        .cell = summary.entered.cell,
        .inserted = summary.inserted,
        .best = state.map.find(*best)->fitness,
        .coverage = state.map.filled(),
        .qd_score = qd_score(state.map, problem.settings.map.qd_offset),
        .weight = state.nsra.weight,
        .episodes = state.episodes,
        .steps = state.steps,
        .diverged = state.diverged,
    });
}

}  // namespace mees

#include "mees/algorithms/ledger.hpp"

#include <cmath>
#include <utility>

namespace mees {

Measured measure(BatchResult const& result, EpisodeRange range)
{
    auto const count = static_cast<double>(range.count);
    Measured measured;
    measured.bc.assign(static_cast<std::size_t>(result.bc_size), 0.0);
    for (auto i = range.first; i < range.first + range.count; ++i) {
        measured.fitness += result.outcomes[static_cast<std::size_t>(i)].fitness;
        auto const bc = result.bc(i);
        for (std::size_t axis = 0; axis < bc.size(); ++axis) {
            measured.bc[axis] += bc[axis];
        }
    }
    measured.fitness /= count;
    for (auto& value : measured.bc) {
        value /= count;
    }
    double squares = 0;
    for (auto i = range.first; i < range.first + range.count; ++i) {
        double const deviation =
            result.outcomes[static_cast<std::size_t>(i)].fitness - measured.fitness;
        squares += deviation * deviation;
    }
    measured.fitness_std = std::sqrt(squares / count);
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

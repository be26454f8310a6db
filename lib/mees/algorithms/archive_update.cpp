#include "mees/algorithms/archive_update.hpp"

#include "mees/core/statistics.hpp"

#include <utility>

namespace mees {

std::vector<double> bc_values(BatchResult const& result, EpisodeRange range, std::size_t axis)
{
    std::vector<double> values;
    for (auto i = range.first; i < range.first + range.count; ++i) {
        values.push_back(result.bc(i)[axis]);
    }
    return values;
}

Measured measure(BatchResult const& result, EpisodeRange range)
{
    std::vector<double> fitness;
    for (auto i = range.first; i < range.first + range.count; ++i) {
        fitness.push_back(result.outcomes[static_cast<std::size_t>(i)].fitness);
    }
    Measured measured;
    measured.fitness = mean_of(fitness);
    measured.fitness_std = standard_deviation_of(fitness, measured.fitness);
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(result.bc_size); ++axis) {
        measured.bc.push_back(mean_of(bc_values(result, range, axis)));
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

Elite make_elite(State const& state, ControllerPtr controller, Measured const& measured,
                 std::optional<CellId> parent_cell)
{
    return {
        .controller = std::move(controller),
        .bc = measured.bc,
        .fitness = measured.fitness,
        .fitness_std = measured.fitness_std,
        .generation = state.generation,
        .parent_cell = parent_cell,
    };
}

InsertionResult insert_with_novelty(State& state, Elite elite, std::optional<double> novelty)
{
    auto const bc = elite.bc;
    elite.novelty = novelty ? *novelty : state.archive.novelty(bc);
    elite.archive_entry = state.archive.size();
    auto const result = state.map.insert(std::move(elite));
    state.archive.add(bc);
    return result;
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
        .novelty = summary.inserted.novelty,
        .cell = summary.inserted.cell,
        .inserted = summary.insertions,
        .best = state.map.find(*best)->fitness,
        .coverage = state.map.filled(),
        .qd_score = qd_score(state.map, problem.settings.map.qd_offset),
        .weight = state.nsra.weight,
        .episodes = state.episodes,
        .steps = state.steps,
        .diverged = state.diverged,
    });
}

void describe_map_in_last_record(State& state, double qd_offset)
{
    auto const best = best_cell(state.map);
    if (!state.history.empty() && best) {
        auto& last = state.history.back();
        last.best = state.map.find(*best)->fitness;
        last.coverage = state.map.filled();
        last.qd_score = qd_score(state.map, qd_offset);
    }
}

}  // namespace mees

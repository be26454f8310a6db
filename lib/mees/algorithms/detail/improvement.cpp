#include "mees/algorithms/detail/improvement.hpp"

#include "mees/algorithms/detail/groups.hpp"
#include "mees/qd/cell_sampler.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mees {
namespace {

/// Offspring whose ranking values differ by less are equal.
constexpr double equal_ranking = 1e-12;

}  // namespace

Batch initial_batch(SearchProblem const& problem, State const& state)
{
    Batch batch;
    batch.seed = static_cast<std::uint64_t>(problem.settings.run.seed);
    std::int64_t slot = 0;
    for (auto const& emitter : state.emitters) {
        batch.groups.push_back(evaluation_group(
            problem, make_controller(problem, state, emitter.theta), state.generation, slot++));
    }
    for (auto const& candidate : state.candidates) {
        batch.groups.push_back(
            evaluation_group(problem, candidate.controller, state.generation, slot++));
    }
    return batch;
}

std::vector<std::optional<CellId>> initial_parents(State const& state)
{
    std::vector<std::optional<CellId>> parents(state.emitters.size());
    for (auto const& candidate : state.candidates) {
        parents.push_back(candidate.parent_cell);
    }
    return parents;
}

std::vector<ComparedMembers> compare_members(State const& state, ThresholdRule const& rule,
                                             Batch const& batch, BatchResult const& result)
{
    std::vector<ComparedMembers> groups;
    std::int64_t episode = 0;
    for (auto const& group : batch.groups) {
        ComparedMembers members;
        for (std::int64_t i = 0; i < group.members(); ++i) {
            members.measured.push_back(measure(result, {episode, group.repeats}));
            episode += group.repeats;
            members.cells.push_back(state.map.space().cell_of(members.measured.back().bc));
            members.fitness.push_back(members.measured.back().fitness);
        }
        members.improvements = improvements(rule, state.thresholds, members.cells, members.fitness);
        groups.push_back(std::move(members));
    }
    return groups;
}

bool is_flat(std::span<double const> values)
{
    return std::ranges::max(values) - std::ranges::min(values) < equal_ranking;
}

std::vector<std::size_t> best_first(std::span<double const> values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](auto a, auto b) { return values[a] > values[b]; });
    return order;
}

InsertionResult offer_member(State& state, Group const& group, std::int64_t member, Elite elite,
                             NoiseSource const& noise)
{
    auto const cell = state.map.space().cell_of(elite.bc);
    auto const* rival = state.map.find(cell);
    if (rival != nullptr && !(elite.fitness > rival->fitness)) {
        return {.cell = cell};
    }
    elite.controller = controller_of_member(group, member, noise.values());
    if (!elite.controller->parameters.values().allFinite()) {
        ++state.diverged;
        return {.cell = cell};
    }
    return state.map.insert(std::move(elite));
}

void offer_members(State& state, SearchProblem const& problem, ThresholdRule const& rule,
                   Batch const& batch, std::span<ComparedMembers const> groups,
                   std::span<std::optional<CellId> const> parents, NoiseSource const& noise)
{
    GenerationSummary summary;
    std::vector<CellId> cells;
    std::vector<double> fitness;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        auto const& members = groups[g];
        cells.insert(cells.end(), members.cells.begin(), members.cells.end());
        fitness.insert(fitness.end(), members.fitness.begin(), members.fitness.end());
        for (std::size_t i = 0; i < members.cells.size(); ++i) {
            auto const inserted =
                offer_member(state, batch.groups[g], static_cast<std::int64_t>(i),
                             make_elite(state, nullptr, members.measured[i], parents[g]), noise);
            summary.insertions += inserted.outcome == InsertionOutcome::rejected ? 0 : 1;
            bool const first = g == 0 && i == 0;
            if (first || members.fitness[i] > summary.measured.fitness) {
                summary.measured = members.measured[i];
                summary.inserted = inserted;
                summary.parent_cell = parents[g];
            }
        }
    }
    update_thresholds(rule, state.thresholds, cells, fitness);
    record_generation(state, problem, summary);
}

Emitter emitter_from_map(SearchProblem const& problem, State const& state, std::int64_t emitter)
{
    auto stream = run_stream(problem, Purpose::cell_sampling, state.generation, emitter);
    Emitter start;
    start.parent_cell = sample(uniform_distribution(state.map), stream);
    start.theta = state.map.find(*start.parent_cell)->controller->parameters.values();
    return start;
}

}  // namespace mees

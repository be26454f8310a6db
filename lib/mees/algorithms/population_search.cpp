#include "mees/algorithms/population_search.hpp"

#include "mees/algorithms/detail/groups.hpp"
#include "mees/algorithms/detail/improvement.hpp"
#include "mees/algorithms/selection.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mees {
namespace {

/// Streams of the episodes that find the elite: after those of any generation's members.
constexpr auto first_repeated_stream = std::int64_t{1} << 31;

}  // namespace

SearchSize population_search_size(AlgorithmSettings const& settings)
{
    return {.initial = settings.children,
            .optimised = settings.truncation,
            .populations = 0,
            .measured = settings.children};
}

void check_population_search(Settings const& settings)
{
    auto const& algorithm = settings.algorithm;
    if (algorithm.truncation > algorithm.children) {
        throw ConfigError{
            fmt::format("invalid algorithm.truncation = {}", algorithm.truncation),
            fmt::format("it must be at most algorithm.children, which is {}", algorithm.children),
            fmt::format("Set algorithm.truncation to at most {}.", algorithm.children)};
    }
}

PopulationSearch::PopulationSearch(SearchProblemPtr problem, State state,
                                   std::unique_ptr<Selection> selection)
    : problem_{std::move(problem)}, state_{std::move(state)}, selection_{std::move(selection)}
{
    cell_novelty_.refresh(state_.map, state_.archive);
}

bool PopulationSearch::finished() const
{
    return state_.evaluated && state_.generation.value() >= problem_->settings.run.generations;
}

std::int64_t PopulationSearch::elite_candidates() const
{
    return std::min(problem_->settings.algorithm.elite_candidates, std::ssize(pending_->parents));
}

Batch PopulationSearch::ask() const
{
    if (pending_) {
        return repetition();
    }
    return state_.evaluated ? children() : initial_batch(*problem_, state_);
}

std::vector<std::int64_t> PopulationSearch::children_of_parents() const
{
    auto stream = run_stream(*problem_, Purpose::parent_choice, state_.generation.next());
    std::vector<std::int64_t> children(state_.emitters.size(), 0);
    for (std::int64_t i = 0; i < problem_->settings.algorithm.children; ++i) {
        ++children[static_cast<std::size_t>(stream.below(std::ssize(state_.emitters)))];
    }
    return children;
}

Batch PopulationSearch::children() const
{
    auto const generation = state_.generation.next();
    auto const offsets =
        draw_offsets(*problem_, generation, 0, problem_->settings.algorithm.children);
    auto next = offsets.begin();
    Batch batch;
    batch.seed = static_cast<std::uint64_t>(problem_->settings.run.seed);
    auto const counts = children_of_parents();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) {
            auto group = evaluation_group(
                *problem_, make_controller(*problem_, state_, state_.emitters[i].theta), generation,
                next - offsets.begin());
            group.sigma = static_cast<float>(problem_->settings.es.sigma);
            group.observation_fraction = observation_fraction(*problem_);
            group.offsets.assign(next, next + counts[i]);
            next += counts[i];
            batch.groups.push_back(std::move(group));
        }
    }
    return batch;
}

Batch PopulationSearch::repetition() const
{
    auto const& settings = problem_->settings.algorithm;
    Batch batch;
    batch.seed = static_cast<std::uint64_t>(problem_->settings.run.seed);
    for (std::int64_t i = 0; i < elite_candidates(); ++i) {
        auto group =
            evaluation_group(*problem_,
                             make_controller(*problem_, state_,
                                             pending_->parents[static_cast<std::size_t>(i)].theta),
                             state_.evaluated ? state_.generation.next() : state_.generation, 0);
        group.repeats = static_cast<std::int32_t>(settings.elite_episodes);
        group.first_stream = first_repeated_stream + i * settings.elite_episodes;
        batch.groups.push_back(std::move(group));
    }
    return batch;
}

void PopulationSearch::tell(Batch const& batch, BatchResult const& result, NoiseSource& noise)
{
    expects(static_cast<std::int64_t>(result.outcomes.size()) == batch.episodes(),
            "an outcome for every episode");
    if (pending_) {
        auto members = *std::exchange(pending_, std::nullopt);
        absorb(std::move(members), noise);
        absorb_repetition(result);
        return;
    }
    auto members = evaluated(batch, result, noise);
    if (selection_->has_elite()) {
        pending_ = std::move(members);
    } else {
        absorb(std::move(members), noise);
    }
}

std::vector<PopulationSearch::Place> PopulationSearch::places_of_groups(Batch const& batch) const
{
    std::vector<Place> places;
    if (!state_.evaluated) {
        for (std::size_t g = 0; g < batch.groups.size(); ++g) {
            auto const first = state_.emitters.size();
            places.push_back(
                {g, 0, g < first ? std::nullopt : state_.candidates[g - first].parent_cell, 0});
        }
        return places;
    }
    auto const counts = children_of_parents();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) {
            auto const& parent = state_.emitters[i];
            places.push_back(
                {places.size(), 0, state_.map.space().cell_of(parent.bc), parent.steps + 1});
        }
    }
    return places;
}

PopulationSearch::Evaluated PopulationSearch::evaluated(Batch const& batch,
                                                        BatchResult const& result,
                                                        NoiseSource const& noise) const
{
    Evaluated members{.batch = batch, .result = result};
    std::int64_t episode = 0;
    for (auto place : places_of_groups(batch)) {
        auto const& group = batch.groups[place.group];
        for (place.member = 0; place.member < group.members(); ++place.member) {
            auto measured = measure(result, {episode, group.repeats});
            episode += group.repeats;
            members.bcs.insert(members.bcs.end(), measured.bc.begin(), measured.bc.end());
            members.places.push_back(place);
            members.measured.push_back(std::move(measured));
        }
    }
    members.novelties = novelties_within(state_.archive, members.bcs);
    members.parents = best_of(members, noise);
    if (state_.evaluated && selection_->has_elite()) {
        members.parents.insert(members.parents.begin(), state_.emitters.front());
    }
    return members;
}

std::vector<Emitter> PopulationSearch::best_of(Evaluated const& members,
                                               NoiseSource const& noise) const
{
    std::vector<Emitter> best;
    for (auto const i :
         selection_->order(state_, members.measured, members.novelties, members.bcs)) {
        if (std::ssize(best) == problem_->settings.algorithm.truncation) {
            break;
        }
        auto const& place = members.places[i];
        auto const controller =
            controller_of_member(members.batch.groups[place.group], place.member, noise.values());
        if (controller->parameters.values().allFinite()) {
            Emitter emitter;
            emitter.theta = controller->parameters.values();
            emitter.mode = selection_->mode();
            emitter.parent_cell = place.parent_cell;
            emitter.steps = place.steps;
            emitter.novelty = members.novelties[i];
            emitter.bc = members.measured[i].bc;
            best.push_back(std::move(emitter));
        }
    }
    return best;
}

void PopulationSearch::offer_members(Evaluated const& members, NoiseSource const& noise)
{
    auto stream = run_stream(*problem_, Purpose::archive_sample, state_.generation);
    double const probability =
        selection_->has_elite() ? 0 : problem_->settings.algorithm.archive_probability;
    for (std::size_t i = 0; i < members.places.size(); ++i) {
        auto const& place = members.places[i];
        auto const& measured = members.measured[i];
        Elite elite = make_elite(state_, nullptr, measured, place.parent_cell);
        elite.novelty = members.novelties[i];
        if (stream.uniform() < probability) {
            elite.archive_entry = state_.archive.size();
            state_.archive.add(measured.bc);
            if (selection_->keeps_archive_fitness()) {
                state_.archive_fitness.push_back(measured.fitness);
            }
        }
        offer_member(state_, members.batch.groups[place.group], place.member, std::move(elite),
                     noise);
    }
}

void PopulationSearch::absorb(Evaluated members, NoiseSource const& noise)
{
    if (state_.evaluated) {
        ++state_.generation;
    }
    offer_members(members, noise);
    EpisodeRange const all{0, members.batch.episodes()};
    count_episodes(state_, members.result, all);
    merge_observations(state_, members.result, all);
    if (!members.parents.empty()) {
        state_.emitters = std::move(members.parents);
    }
    state_.candidates.clear();
    state_.evaluated = true;
    if (selection_->has_elite()) {
        return;
    }
    cell_novelty_.refresh(state_.map, state_.archive);
    auto const fittest =
        static_cast<std::size_t>(std::ranges::max_element(members.measured, {}, &Measured::fitness)
                                 - members.measured.begin());
    auto const& measured = members.measured[fittest];
    record({.parent_cell = members.places[fittest].parent_cell,
            .measured = measured,
            .inserted = {.cell = state_.map.space().cell_of(measured.bc),
                         .novelty = members.novelties[fittest]}});
}

void PopulationSearch::absorb_repetition(BatchResult const& result)
{
    auto const& settings = problem_->settings.algorithm;
    auto const candidates = std::ssize(result.outcomes) / settings.elite_episodes;
    std::vector<Measured> measured;
    for (std::int64_t i = 0; i < candidates; ++i) {
        measured.push_back(measure(result, {i * settings.elite_episodes, settings.elite_episodes}));
    }
    count_episodes(state_, result, {0, std::ssize(result.outcomes)});
    auto const winner =
        std::ranges::max_element(measured, {}, &Measured::fitness) - measured.begin();
    auto& parents = state_.emitters;
    std::rotate(parents.begin(), parents.begin() + winner, parents.begin() + winner + 1);
    parents.resize(std::min(parents.size(), static_cast<std::size_t>(settings.truncation)));
    auto& elite = parents.front();
    elite.bc = measured[static_cast<std::size_t>(winner)].bc;
    elite.novelty = state_.archive.novelty(elite.bc);
    elite.archive_entry = state_.archive.size();
    state_.archive.add(elite.bc);
    cell_novelty_.refresh(state_.map, state_.archive);
    record({.parent_cell = elite.parent_cell,
            .measured = measured[static_cast<std::size_t>(winner)],
            .inserted = {.cell = state_.map.space().cell_of(elite.bc), .novelty = elite.novelty}});
}

void PopulationSearch::record(GenerationSummary summary)
{
    summary.mode = selection_->mode();
    summary.insertions = state_.map.insertions();
    for (auto const& row : state_.history) {
        summary.insertions -= row.inserted;
    }
    record_generation(state_, *problem_, summary);
}

}  // namespace mees

#include "mees/algorithms/es_search.hpp"

#include "mees/algorithms/detail/es_step.hpp"
#include "mees/algorithms/detail/groups.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace mees {
namespace {

/// Slots of a generation's random streams that each block of offspring has: more than any search
/// has emitters.
constexpr std::int64_t slots_per_block = 1'000'000;

/// To the lower bound of the mean fitness that `confirm_margin` asks for.
void lower(Measured& measured, AlgorithmSettings const& settings)
{
    measured.fitness -= settings.confirm_margin * measured.fitness_std
                        / std::sqrt(static_cast<double>(settings.n_eval));
}

}  // namespace

std::vector<KeyGroup> es_search_keys(std::vector<KeyGroup> more)
{
    more.insert(more.end(),
                {KeyGroup::offspring, KeyGroup::training_episodes, KeyGroup::gradient,
                 KeyGroup::directions, KeyGroup::utilities, KeyGroup::es_step, KeyGroup::novelty});
    return more;
}

EsSearch::EsSearch(SearchProblemPtr problem, State state, std::unique_ptr<Strategy> strategy)
    : problem_{std::move(problem)}, state_{std::move(state)}, strategy_{std::move(strategy)}
{
    cell_novelty_.refresh(state_.map, state_.archive);
}

bool EsSearch::finished() const
{
    auto const last_evaluated = state_.generation.value() - (state_.evaluated ? 0 : 1);
    return last_evaluated >= problem_->settings.run.generations;
}

bool EsSearch::asks_for_offspring() const
{
    bool const ready =
        state_.evaluated
        || (overlap_ && state_.generation.value() > 0 && strategy_->can_overlap(state_));
    return ready && state_.generation.value() < problem_->settings.run.generations;
}

std::vector<std::int64_t> EsSearch::pending() const
{
    if (state_.active) {
        return {*state_.active};
    }
    std::vector<std::int64_t> all(state_.emitters.size());
    std::iota(all.begin(), all.end(), std::int64_t{0});
    return all;
}

Emitter EsSearch::start_of(Move const& move) const
{
    Emitter start;
    if (move.copied_from) {
        auto const& elite = *state_.map.find(*move.copied_from);
        start.parent_cell = move.copied_from;
        if (move.appends) {
            start.theta = new_link(move);
            start.before = elite.controller;
        } else {
            start.theta = elite.controller->parameters.values();
            start.before = elite.controller->before;
            if (elite.optimiser) {
                start.optimiser = *elite.optimiser;
            }
        }
    } else {
        start = state_.emitters[static_cast<std::size_t>(move.emitter)];
    }
    start.mode = move.mode;
    return start;
}

/// The parameters that a link starts with which the move appends.
Eigen::VectorXf EsSearch::new_link(Move const& move) const
{
    auto const last_link = [&](CellId cell) -> Eigen::VectorXf {
        return state_.map.find(cell)->controller->parameters.values();
    };
    switch (problem_->settings.algorithm.chain_start) {
        case ChainStart::copy:
            return last_link(*move.copied_from);
        case ChainStart::elite: {
            auto const cells = std::ssize(state_.map.elites());
            auto stream =
                run_stream(*problem_, Purpose::chain_elite, state_.generation.next(), move.emitter);
            return last_link(std::next(state_.map.elites().begin(), stream.below(cells))->first);
        }
        case ChainStart::initial:
            return initial_parameters(*problem_, 0);
    }
    contract_violated("a known start of a link");
}

/// The optimiser's state as an elite keeps it, where the settings say so.
std::shared_ptr<OptimiserState const> EsSearch::kept(OptimiserState const& state) const
{
    switch (problem_->settings.es.optimizer_state) {
        case OptimiserMemory::reset:
            break;
        case OptimiserMemory::inherit:
            return std::make_shared<OptimiserState const>(state);
    }
    return nullptr;
}

Batch EsSearch::ask() const
{
    Batch batch;
    batch.seed = static_cast<std::uint64_t>(problem_->settings.run.seed);
    if (!state_.evaluated) {
        for (auto const index : pending()) {
            auto const& emitter = state_.emitters[static_cast<std::size_t>(index)];
            batch.groups.push_back(evaluation_group(
                *problem_, make_controller(*problem_, state_, emitter.theta, emitter.before),
                state_.generation, index));
        }
        auto slot = std::ssize(state_.emitters);
        for (auto const& candidate : state_.candidates) {
            batch.groups.push_back(
                evaluation_group(*problem_, candidate.controller, state_.generation, slot++));
        }
    }
    if (asks_for_offspring()) {
        for (auto const& move : strategy_->next(state_)) {
            auto const start = start_of(move);
            batch.groups.push_back(offspring_group(
                *problem_, make_controller(*problem_, state_, start.theta, start.before),
                state_.generation.next(), move.emitter + blocks_.size() * slots_per_block,
                start.steps));
        }
    }
    return batch;
}

void EsSearch::tell(Batch const& batch, BatchResult const& result, NoiseSource& noise)
{
    expects(static_cast<std::int64_t>(result.outcomes.size()) == batch.episodes(),
            "an outcome for every episode");
    bool const steps_follow = asks_for_offspring();
    std::size_t evaluations = 0;
    if (!state_.evaluated) {
        evaluations = pending().size() + state_.candidates.size();
        absorb_evaluation(batch, result);
    }
    if (steps_follow) {
        blocks_.add(batch, result, evaluations);
        if (blocks_.steps() >= problem_->settings.es.steps_per_generation) {
            make_steps(noise);
            blocks_.clear();
        }
    }
}

void EsSearch::absorb_evaluation(Batch const& batch, BatchResult const& result)
{
    auto const indices = pending();
    std::vector<Measured> measured;
    std::vector<InsertionResult> inserted;
    std::int64_t first = 0;
    auto const measure_group = [&](std::size_t group) {
        EpisodeRange const range{first, batch.groups[group].episodes()};
        first += range.count;
        count_episodes(state_, result, range);
        return measure(result, range);
    };
    std::vector<std::optional<double>> novelties(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
        measured.push_back(measure_group(i));
        if (strategy_->compares_with_same_archive()) {
            novelties[i] = state_.archive.novelty(measured.back().bc);
        }
    }
    for (std::size_t i = 0; i < indices.size(); ++i) {
        auto& emitter = state_.emitters[static_cast<std::size_t>(indices[i])];
        auto elite = make_elite(state_, batch.groups[i].centre, measured[i], emitter.parent_cell);
        elite.optimiser = kept(emitter.optimiser);
        inserted.push_back(insert_with_novelty(state_, std::move(elite), novelties[i]));
        emitter.novelty = inserted.back().novelty;
        emitter.bc = measured[i].bc;
        emitter.archive_entry = inserted.back().archive_entry;
        emitter.stagnation =
            inserted.back().outcome == InsertionOutcome::rejected ? emitter.stagnation + 1 : 0;
    }
    auto const entered = [](InsertionResult const& one) {
        return one.outcome != InsertionOutcome::rejected;
    };
    auto insertions = std::ranges::count_if(inserted, entered);
    auto group = indices.size();
    for (auto& candidate : state_.candidates) {
        auto measure = measure_group(group++);
        if (state_.generation.value() > 0) {  // not the elites that the run starts from
            lower(measure, problem_->settings.algorithm);
        }
        auto elite = make_elite(state_, std::move(candidate.controller), std::move(measure),
                                candidate.parent_cell);
        elite.optimiser = std::move(candidate.optimiser);
        insertions += entered(state_.map.insert(std::move(elite))) ? 1 : 0;
    }
    state_.candidates.clear();
    cell_novelty_.refresh(state_.map, state_.archive);
    auto const fittest = static_cast<std::size_t>(
        std::ranges::max_element(measured, {}, &Measured::fitness) - measured.begin());
    auto const& emitter = state_.emitters[static_cast<std::size_t>(indices[fittest])];
    GenerationSummary const summary{.mode = emitter.mode,
                                    .parent_cell = emitter.parent_cell,
                                    .measured = measured[fittest],
                                    .inserted = inserted[fittest],
                                    .insertions = insertions};
    strategy_->evaluated(state_, measured, inserted);
    record_generation(state_, *problem_, summary);
    state_.evaluated = true;
}

void EsSearch::make_steps(NoiseSource& noise)
{
    auto const moves = strategy_->next(state_);
    Reference const reference{state_.archive, problem_->space.extents(),
                              problem_->settings.algorithm.kernel_width};
    auto emitters = state_.emitters;
    auto candidates = state_.candidates;
    for (std::size_t i = 0; i < moves.size(); ++i) {
        auto const& move = moves[i];
        auto offspring = blocks_.values(i);
        auto const offsets = blocks_.offsets(i);
        if (std::ranges::any_of(move.objectives, [](auto const& o) { return o.novelty != 0; })) {
            offspring.novelty = noise.novelties(state_.archive, offspring.bcs);
        }
        auto const parent = start_of(move);
        for (std::size_t k = 0; k < move.objectives.size(); ++k) {
            auto const index = static_cast<std::size_t>(move.emitter) + k;
            emitters.resize(std::max(emitters.size(), index + 1));
            emitters[index] = es_step(problem_->settings.es, parent,
                                      gradient_terms(move.objectives[k], offspring, offsets,
                                                     reference, problem_->settings.es),
                                      noise);
            require_finite(emitters[index], state_.generation.next());
        }
        choose_candidates(offspring, i, parent, noise, candidates);
    }
    // From here on nothing throws: a step that diverges leaves the state as it was.
    state_.emitters = std::move(emitters);
    state_.candidates = std::move(candidates);
    blocks_.absorb_into(state_);
    bool const one_of_several =
        moves.size() == 1 && moves.front().objectives.size() == 1 && state_.emitters.size() > 1;
    state_.active = one_of_several ? std::optional{moves.front().emitter} : std::nullopt;
    ++state_.generation;
    state_.evaluated = false;
}

/// The offspring of a move that are to be confirmed become candidates.
void EsSearch::choose_candidates(OffspringValues const& offspring, std::size_t move,
                                 Emitter const& parent, NoiseSource const& noise,
                                 std::vector<Candidate>& candidates) const
{
    auto const count = problem_->settings.algorithm.confirm_offspring;
    for (auto const member : most_improving(offspring, state_.map, count)) {
        auto controller = blocks_.controller(move, member, noise);
        if (controller->parameters.values().allFinite()) {
            candidates.push_back(
                {std::move(controller), parent.parent_cell, kept(parent.optimiser)});
        }
    }
}

}  // namespace mees

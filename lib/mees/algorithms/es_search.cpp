#include "mees/algorithms/es_search.hpp"

#include "mees/algorithms/detail/groups.hpp"
#include "mees/core/error.hpp"
#include "mees/es/gradient.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mees {
namespace {

OptimiserSettings optimiser_settings(EsSettings const& settings)
{
    OptimiserSettings result;
    result.kind = settings.optimizer;
    result.learning_rate = settings.learning_rate;
    result.l2 = settings.l2;
    return result;
}

}  // namespace

std::vector<KeyGroup> es_search_keys(std::vector<KeyGroup> more)
{
    more.insert(more.end(), {KeyGroup::gradient, KeyGroup::novelty});
    return more;
}

EsSearch::EsSearch(SearchProblemPtr problem, State state, std::unique_ptr<Strategy> strategy)
    : problem_{std::move(problem)},
      state_{std::move(state)},
      strategy_{std::move(strategy)},
      optimiser_{optimiser_settings(problem_->settings.es)}
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

Eigen::VectorXf const& EsSearch::start_of(Move const& move) const
{
    if (move.copied_from) {
        return state_.map.find(*move.copied_from)->controller->parameters;
    }
    return state_.emitters[static_cast<std::size_t>(move.emitter)].theta;
}

Batch EsSearch::ask() const
{
    Batch batch;
    batch.seed = static_cast<std::uint64_t>(problem_->settings.run.seed);
    if (!state_.evaluated) {
        for (auto const index : pending()) {
            auto const& theta = state_.emitters[static_cast<std::size_t>(index)].theta;
            batch.groups.push_back(evaluation_group(
                *problem_, make_controller(*problem_, state_, theta), state_.generation, index));
        }
    }
    if (asks_for_offspring()) {
        for (auto const& move : strategy_->next(state_)) {
            batch.groups.push_back(
                offspring_group(*problem_, make_controller(*problem_, state_, start_of(move)),
                                state_.generation.next(), move.emitter));
        }
    }
    return batch;
}

void EsSearch::tell(Batch const& batch, BatchResult const& result, NoiseSource& noise)
{
    expects(static_cast<std::int64_t>(result.outcomes.size()) == batch.episodes(),
            "an outcome for every episode");
    bool const steps_follow = asks_for_offspring();
    auto const evaluations = state_.evaluated ? std::size_t{0} : pending().size();
    if (!state_.evaluated) {
        absorb_evaluation(batch, result);
    }
    if (steps_follow) {
        std::int64_t first_episode = 0;
        for (std::size_t i = 0; i < evaluations; ++i) {
            first_episode += batch.groups[i].episodes();
        }
        make_steps(batch, result, evaluations, first_episode, noise);
    }
}

void EsSearch::absorb_evaluation(Batch const& batch, BatchResult const& result)
{
    auto const indices = pending();
    std::vector<Measured> measured;
    std::vector<InsertionResult> inserted;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        EpisodeRange const range{first, batch.groups[i].episodes()};
        first += range.count;
        count_episodes(state_, result, range);
        measured.push_back(measure(result, range));
        auto& emitter = state_.emitters[static_cast<std::size_t>(indices[i])];
        inserted.push_back(insert_with_novelty(
            state_,
            make_elite(state_, batch.groups[i].centre, measured.back(), emitter.parent_cell)));
        emitter.novelty = inserted.back().novelty;
        emitter.bc = measured.back().bc;
        emitter.archive_entry = inserted.back().archive_entry;
        emitter.stagnation =
            inserted.back().outcome == InsertionOutcome::rejected ? emitter.stagnation + 1 : 0;
    }
    cell_novelty_.refresh(state_.map, state_.archive);
    auto const fittest = static_cast<std::size_t>(
        std::ranges::max_element(measured, {}, &Measured::fitness) - measured.begin());
    auto const& emitter = state_.emitters[static_cast<std::size_t>(indices[fittest])];
    GenerationSummary const summary{
        .mode = emitter.mode,
        .parent_cell = emitter.parent_cell,
        .measured = measured[fittest],
        .inserted = inserted[fittest],
        .insertions = std::ranges::count_if(inserted, [](auto const& result) {
            return result.outcome != InsertionOutcome::rejected;
        })};
    strategy_->evaluated(state_, measured, inserted);
    record_generation(state_, *problem_, summary);
    state_.evaluated = true;
}

void EsSearch::make_steps(Batch const& batch, BatchResult const& result, std::size_t first_group,
                          std::int64_t first_episode, NoiseSource& noise)
{
    auto const moves = strategy_->next(state_);
    auto emitters = state_.emitters;
    EpisodeRange const all{first_episode, batch.episodes() - first_episode};
    for (std::size_t i = 0; i < moves.size(); ++i) {
        auto const& move = moves[i];
        auto const& group = batch.groups[first_group + i];
        EpisodeRange const range{first_episode, group.episodes()};
        first_episode += range.count;

        Emitter parent;
        if (move.copied_from) {
            parent.theta = start_of(move);
            parent.parent_cell = move.copied_from;
        } else {
            parent = state_.emitters[static_cast<std::size_t>(move.emitter)];
        }
        parent.mode = move.mode;
        for (std::size_t k = 0; k < move.objectives.size(); ++k) {
            auto const index = static_cast<std::size_t>(move.emitter) + k;
            emitters.resize(std::max(emitters.size(), index + 1));
            auto const ranks = objective_ranks(move.objectives[k], result, range, state_.archive);
            emitters[index] = stepped(parent, group, ranks, noise);
        }
    }
    state_.emitters = std::move(emitters);
    count_episodes(state_, result, all);
    merge_observations(state_, result, all);
    bool const one_of_several =
        moves.size() == 1 && moves.front().objectives.size() == 1 && state_.emitters.size() > 1;
    state_.active = one_of_several ? std::optional{moves.front().emitter} : std::nullopt;
    ++state_.generation;
    state_.evaluated = false;
}

Emitter EsSearch::stepped(Emitter emitter, Group const& group, std::vector<double> const& ranks,
                          NoiseSource& noise) const
{
    auto const weights = pair_weights(ranks);
    auto ascent = noise.weighted_sum(group.offsets, weights, problem_->network.parameter_count());
    auto const& es = problem_->settings.es;
    double const divisor =
        static_cast<double>(weights.size()) * (es.divide_by_sigma ? es.sigma : 1.0);
    ascent /= static_cast<float>(divisor);
    emitter.theta = optimiser_step(optimiser_, emitter.optimiser, emitter.theta, ascent);
    ++emitter.steps;
    return emitter;
}

}  // namespace mees

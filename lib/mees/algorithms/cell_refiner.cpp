#include "mees/algorithms/cell_refiner.hpp"

#include "mees/algorithms/detail/es_step.hpp"
#include "mees/algorithms/detail/groups.hpp"
#include "mees/core/error.hpp"
#include "mees/es/gradient.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace mees {
namespace {

/// A target that has not begun, and the elite it would start from.
struct Approach {
    double distance;
    std::int64_t target;
    CellId start;
};

Approach nearest_start(EliteMap const& map, CellId cell, std::int64_t target)
{
    if (map.find(cell) != nullptr) {
        return {0, target, cell};
    }
    TargetCell const goal{map.space(), cell};
    Approach nearest{std::numeric_limits<double>::infinity(), target, CellId{}};
    for (auto const& [start, elite] : map.elites()) {
        if (double const distance = goal.distance(elite.bc); distance < nearest.distance) {
            nearest.distance = distance;
            nearest.start = start;
        }
    }
    return nearest;
}

void require_finite_step(Pursuer const& pursuer, RefinementTarget const& target)
{
    auto const& emitter = pursuer.emitter;
    if (!emitter.theta.allFinite() || !emitter.optimiser.first_moment.allFinite()
        || !emitter.optimiser.second_moment.allFinite()) {
        throw Error{ExitCode::failure,
                    fmt::format("the ES towards cell {} diverged", target.cell.value()),
                    "a parameter of its controller is not finite",
                    "Start over with a smaller --learning-rate or --sigma and another --out."};
    }
}

}  // namespace

RefinementProgress new_refinement(EliteMap const& map, std::vector<CellId> const& cells)
{
    RefinementProgress progress;
    for (auto const cell : cells) {
        RefinementTarget target{.cell = cell};
        if (auto const* const elite = map.find(cell)) {
            target.was_filled = true;
            target.stored_fitness = elite->fitness;
        }
        progress.targets.push_back(std::move(target));
    }
    std::ranges::sort(progress.targets, {}, &RefinementTarget::cell);
    return progress;
}

CellRefiner::CellRefiner(SearchProblemPtr problem, RefinementSettings settings, State state,
                         RefinementProgress progress)
    : problem_{std::move(problem)},
      settings_{settings},
      state_{std::move(state)},
      progress_{std::move(progress)}
{
    expects(state_.map.filled() > 0 && !state_.history.empty(), "a map with elites");
    if (progress_.pursuers.empty()) {
        begin_wave();
    }
}

bool CellRefiner::measures() const
{
    return progress_.step > 0
           && (!steps_follow() || progress_.step % settings_.evaluate_every == 0);
}

/// The next cells; none if all are done.
void CellRefiner::begin_wave()
{
    std::vector<Approach> approaches;
    for (std::size_t i = 0; i < progress_.targets.size(); ++i) {
        if (!progress_.targets[i].done) {
            approaches.push_back(
                nearest_start(state_.map, progress_.targets[i].cell, static_cast<std::int64_t>(i)));
        }
    }
    auto const count = std::min(settings_.cells_at_once, std::ssize(approaches));
    // Targets are in the order of their cells, which decides between equal distances.
    std::ranges::stable_sort(approaches, {}, &Approach::distance);
    approaches.erase(approaches.begin() + count, approaches.end());
    std::ranges::sort(approaches, {}, &Approach::target);
    progress_.step = 0;
    progress_.pursuers.clear();
    for (auto const& approach : approaches) {
        progress_.targets[static_cast<std::size_t>(approach.target)].start = approach.start;
        progress_.pursuers.push_back(started(approach.target, approach.start));
    }
}

/// Whether a new elite keeps the state of its optimiser: as those of the run do, or for cells that
/// have not begun and may start from it.
bool CellRefiner::keeps_optimisers() const
{
    auto const& es = problem_->settings.es;
    bool const more_follow = std::ranges::any_of(
        progress_.targets, [](RefinementTarget const& target) { return !target.start; });
    return es.optimizer_state == OptimiserMemory::inherit
           || (more_follow && es.optimizer != OptimiserKind::sgd);
}

/// The finished map keeps no states if the run does not.
void CellRefiner::forget_optimisers()
{
    for (auto const& [cell, elite] : state_.map.elites()) {
        if (elite.optimiser) {
            auto without = elite;
            without.optimiser = nullptr;
            state_.map.restore(cell, std::move(without));
        }
    }
}

Pursuer CellRefiner::started(std::int64_t target, CellId start) const
{
    auto const& elite = *state_.map.find(start);
    Pursuer pursuer{.target = target, .normaliser = elite.controller->normaliser};
    pursuer.emitter.theta = elite.controller->parameters.values();
    pursuer.emitter.parent_cell = start;
    if (elite.optimiser) {
        pursuer.emitter.optimiser = *elite.optimiser;
    }
    return pursuer;
}

ControllerPtr CellRefiner::controller_of(Pursuer const& pursuer) const
{
    return std::make_shared<Controller const>(
        Controller{pursuer.emitter.theta, pursuer.normaliser});
}

Batch CellRefiner::ask() const
{
    // Not those of the run: a generation of streams for each step of each wave.
    Generation const generation{state_.generation.value() + 1
                                + progress_.wave * (settings_.steps + 1) + progress_.step};
    Batch batch{.seed = static_cast<std::uint64_t>(problem_->settings.run.seed), .groups = {}};
    std::vector<ControllerPtr> controllers;
    for (auto const& pursuer : progress_.pursuers) {
        controllers.push_back(controller_of(pursuer));
    }
    auto const count = measures() ? std::ssize(controllers) : 0;
    for (std::int64_t slot = 0; slot < count; ++slot) {
        batch.groups.push_back(evaluation_group(
            *problem_, controllers[static_cast<std::size_t>(slot)], generation, slot));
    }
    for (std::int64_t slot = 0; steps_follow() && slot < std::ssize(controllers); ++slot) {
        batch.groups.push_back(offspring_group(*problem_,
                                               controllers[static_cast<std::size_t>(slot)],
                                               generation, slot, progress_.step));
        batch.groups.back().observation_fraction = 0;
    }
    return batch;
}

void CellRefiner::tell(Batch const& batch, BatchResult const& result, NoiseSource& noise)
{
    expects(std::ssize(result.outcomes) == batch.episodes(), "an outcome for every episode");
    auto next = steps_follow() ? stepped(batch, result, noise) : std::vector<Pursuer>{};
    // From here on nothing throws: a step that diverges leaves everything as it was.
    for (auto const& outcome : result.outcomes) {
        progress_.steps += outcome.steps;
        progress_.diverged += outcome.end == EpisodeEnd::diverged ? 1 : 0;
    }
    progress_.episodes += batch.episodes();
    EpisodeRange range;
    for (std::size_t i = 0; measures() && i < progress_.pursuers.size(); ++i) {
        range.count = batch.groups[i].episodes();
        offer(progress_.pursuers[i], batch.groups[i].centre, measure(result, range));
        range.first += range.count;
    }
    if (steps_follow()) {
        progress_.pursuers = std::move(next);
        ++progress_.step;
        return;
    }
    for (auto const& pursuer : progress_.pursuers) {
        progress_.targets[static_cast<std::size_t>(pursuer.target)].done = true;
    }
    ++progress_.wave;
    begin_wave();
    if (finished() && problem_->settings.es.optimizer_state == OptimiserMemory::reset) {
        forget_optimisers();
    }
}

/// The pursuers after one more step.
std::vector<Pursuer> CellRefiner::stepped(Batch const& batch, BatchResult const& result,
                                          NoiseSource& noise) const
{
    auto next = progress_.pursuers;
    auto const first_group = measures() ? next.size() : 0;
    EpisodeRange range;
    for (std::size_t i = 0; i < first_group; ++i) {
        range.first += batch.groups[i].episodes();
    }
    for (std::size_t i = 0; i < next.size(); ++i) {
        auto const& group = batch.groups[first_group + i];
        auto const& target = progress_.targets[static_cast<std::size_t>(next[i].target)];
        range.count = group.episodes();
        OffspringValues offspring;
        append_offspring(offspring, result, range, group.repeats);
        range.first += range.count;
        auto const values = target_values(TargetCell{state_.map.space(), target.cell}, offspring);
        GradientTerms const terms{group.offsets, pair_weights(centred_ranks(values))};
        next[i].emitter = es_step(problem_->settings.es, std::move(next[i].emitter), terms, noise);
        require_finite_step(next[i], target);
    }
    return next;
}

void CellRefiner::offer(Pursuer const& pursuer, ControllerPtr controller, Measured const& measured)
{
    auto& target = progress_.targets[static_cast<std::size_t>(pursuer.target)];
    target.fitness = measured.fitness;
    target.bc = measured.bc;
    auto elite = make_elite(state_, std::move(controller), measured, pursuer.emitter.parent_cell);
    elite.generation = state_.history.back().generation;
    elite.novelty = state_.archive.novelty(elite.bc);
    if (keeps_optimisers()) {
        elite.optimiser = std::make_shared<OptimiserState const>(pursuer.emitter.optimiser);
    }
    auto const inserted = state_.map.insert(std::move(elite));
    target.reached = target.reached || inserted.cell == target.cell;
}

}  // namespace mees

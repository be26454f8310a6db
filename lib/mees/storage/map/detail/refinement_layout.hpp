#pragma once

// The group of a map file that mees_refine writes: where its cells come from, and what resuming
// needs.

#include "mees/storage/map/detail/layout.hpp"

namespace mees::layout {

inline constexpr char const* refinement_group = "/refinement";
inline constexpr char const* pursuer_group = "/refinement/pursuer";

/// `refinement` is a Refinement, const to write it.
template <class Attributes, class Record>
void refinement_attributes(Attributes const& attributes, Record& refinement)
{
    auto& settings = refinement.settings;
    auto& progress = refinement.progress;
    attributes("map", refinement.map);
    attributes("map_sha256", refinement.map_sha256);
    attributes("seed", refinement.seed, any_integer);
    attributes("n_eval", refinement.n_eval, {1, most});
    attributes("population", refinement.population, {2, most});
    attributes("sigma", refinement.sigma);
    attributes("learning_rate", refinement.learning_rate);
    attributes("es_steps", settings.steps, {1, most});
    attributes("evaluate_every", settings.evaluate_every, {1, most});
    attributes("cells_at_once", settings.cells_at_once, {1, most});
    attributes("wave", progress.wave);
    attributes("step", progress.step);
    attributes("episodes", progress.episodes);
    attributes("steps", progress.steps);
    attributes("diverged", progress.diverged);
}

template <class Table>
void target_columns(Table const& table, BehaviourSpace const& space)
{
    using T = RefinementTarget;
    table.column("/refinement/cell", &T::cell, {0, space.cells() - 1});
    table.column("/refinement/start_cell", &T::start, cell_or_none(space));
    table.column("/refinement/done", &T::done, {0, 1});
    table.column("/refinement/was_filled", &T::was_filled, {0, 1});
    table.column("/refinement/stored_fitness", &T::stored_fitness);
    table.column("/refinement/reached", &T::reached, {0, 1});
    table.column("/refinement/fitness", &T::fitness);
    table.rows("/refinement/bc", space.dimensions(), &T::bc);
}

/// A Pursuer as it is stored: its target, and the rest like a candidate.
template <class File>
void write_pursuers(File& file, RefinementProgress const& progress, BehaviourSpace const& space,
                    NetworkShape const& network)
{
    std::vector<StoredCandidate> stored;
    for (auto const& pursuer : progress.pursuers) {
        auto const& emitter = pursuer.emitter;
        stored.push_back({Controller{emitter.theta, pursuer.normaliser}, emitter.parent_cell, true,
                          emitter.optimiser});
    }
    std::string const group = pursuer_group;
    file.group(group);
    ColumnWriter{file, progress.pursuers}.column(group + "/target", &Pursuer::target);
    candidate_columns(ColumnWriter{file, stored}, group, space, network);
}

template <class File>
void write_refinement(File& file, Refinement const& refinement, BehaviourSpace const& space,
                      NetworkShape const& network)
{
    file.group(refinement_group);
    refinement_attributes(AttributeWriter{file, refinement_group}, refinement);
    if (!refinement.conditions.empty()) {
        file.attribute(refinement_group, "conditions", refinement.conditions);
    }
    target_columns(ColumnWriter{file, refinement.progress.targets}, space);
    if (!refinement.progress.pursuers.empty()) {
        write_pursuers(file, refinement.progress, space, network);
    }
}

}  // namespace mees::layout

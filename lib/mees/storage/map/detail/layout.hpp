#pragma once

// The stored members of every record in a map file, listed once for writing and reading. See
// storage/detail/fields.hpp.

#include "mees/storage/detail/fields.hpp"
#include "mees/storage/detail/run_attributes.hpp"
#include "mees/storage/map/document.hpp"

#include <cstdint>
#include <string>

namespace mees::layout {

inline constexpr FileKind kind{"mees-map", map_format_version, "a map.h5 of a run"};

/// The changes since another map or change file, which the attributes of a group describe.
inline constexpr FileKind changes_kind{"mees-map-changes", map_format_version,
                                       "a map.changes-N.h5 of a run"};
inline constexpr char const* changes_group = "/changes";

template <class Attributes, class Origin>
void change_attributes(Attributes const& attributes, Origin& origin)
{
    attributes("previous", origin.id);
    attributes("previous_generation", origin.generation);
    attributes("previous_insertions", origin.insertions);
}

inline constexpr char const* evaluation_group = "/evaluation";

/// A cell, or none.
[[nodiscard]] inline Range cell_or_none(BehaviourSpace const& space)
{
    return {none, space.cells() - 1};
}

/// Records are pairs of cell and elite.
template <class Table>
void elite_columns(Table const& table, BehaviourSpace const& space, Generation last = {})
{
    auto const of = [](auto member) {
        return [member](auto& entry) -> auto&
        {
            return entry.second.*member;
        };
    };
    table.column("/map/cell", [](auto& entry) -> auto& { return entry.first; },
                 {0, space.cells() - 1});
    table.rows("/map/bc", space.dimensions(), of(&Elite::bc));
    table.column("/map/fitness", of(&Elite::fitness));
    table.column("/map/fitness_std", of(&Elite::fitness_std));
    table.column("/map/novelty", of(&Elite::novelty));
    table.column("/map/generation", of(&Elite::generation), {0, last.value()});
    table.column("/map/parent_cell", of(&Elite::parent_cell), cell_or_none(space));
}

/// What only the search needs of the same records.
template <class Table>
void elite_state_columns(Table const& table, std::int64_t archive_size)
{
    auto const of = [](auto member) {
        return [member](auto& entry) -> auto&
        {
            return entry.second.*member;
        };
    };
    table.column("/state/elite_inserted", of(&Elite::inserted), {0, most - 1});
    table.column("/state/elite_archive_entry", of(&Elite::archive_entry), {none, archive_size - 1});
}

auto& controller_of(auto& record)
{
    if constexpr (requires { record.second; }) {
        return *record.second.controller;
    } else {
        return record;
    }
}

/// Records are the elites, or their controllers.
template <class Table>
void controller_rows(Table const& table, NetworkShape const& network)
{
    table.rows(
        "/map/observation_mean", network.inputs(),
        [](auto& record) -> auto& { return controller_of(record).normaliser.mean; });
    table.rows(
        "/map/observation_std", network.inputs(),
        [](auto& record) -> auto& { return controller_of(record).normaliser.std; });
    table.large_rows(
        "/map/parameters", network.parameter_count(),
        [](auto& record) -> auto& { return controller_of(record).parameters; });
}

template <class Table>
void history_columns(Table const& table, BehaviourSpace const& space, Generation last = {})
{
    using R = GenerationRecord;
    table.column("/history/generation", &R::generation, {0, last.value()});
    table.column("/history/mode", &R::mode, {0, 2});
    table.column("/history/parent_cell", &R::parent_cell, cell_or_none(space));
    table.column("/history/cell", &R::cell, cell_or_none(space));
    table.column("/history/fitness", &R::fitness);
    table.column("/history/fitness_std", &R::fitness_std);
    table.column("/history/novelty", &R::novelty);
    table.column("/history/best", &R::best);
    table.column("/history/qd_score", &R::qd_score);
    table.column("/history/weight", &R::weight);
    table.column("/history/inserted", &R::inserted);
    table.column("/history/coverage", &R::coverage);
    table.column("/history/episodes", &R::episodes);
    table.column("/history/steps", &R::steps);
    table.column("/history/diverged", &R::diverged);
}

template <class Table>
void timing_columns(Table const& table)
{
    using T = GenerationTiming;
    table.column("/timing/seconds", &T::seconds);
    table.column("/timing/workers", &T::workers);
    table.later_column("/timing/physics", &T::physics);
    table.later_column("/timing/policy", &T::policy);
    table.later_column("/timing/waiting", &T::waiting);
    table.later_column("/timing/update", &T::update);
    table.later_column("/timing/checkpoint", &T::checkpoint);
}

/// `of` finds the OptimiserState in a record; `group` is where the record's datasets are.
template <class Table, class Of>
void optimiser_columns(Table const& table, std::string const& group, std::int64_t parameters,
                       Of const& of)
{
    auto const at = [&of](auto member) {
        return [&of, member ](auto& record) -> auto&
        {
            return of(record).*member;
        };
    };
    table.column(group + "/optimiser_steps", at(&OptimiserState::steps));
    table.optional_rows(group + "/has_moments", parameters,
                        Rows{group + "/first_moment", at(&OptimiserState::first_moment)},
                        Rows{group + "/second_moment", at(&OptimiserState::second_moment)});
}

template <class Table>
void emitter_columns(Table const& table, BehaviourSpace const& space, std::int64_t parameters,
                     std::int64_t archive_size)
{
    auto const path = [](char const* name) { return fmt::format("/state/emitter/{}", name); };
    table.column(path("mode"), &Emitter::mode, {0, 2});
    table.column(path("parent_cell"), &Emitter::parent_cell, cell_or_none(space));
    table.column(path("steps"), &Emitter::steps);
    table.column(path("barren"), &Emitter::stagnation);
    table.column(path("novelty"), &Emitter::novelty);
    table.column(path("archive_entry"), &Emitter::archive_entry, {none, archive_size - 1});
    table.optional_rows(path("has_bc"), space.dimensions(), Rows{path("bc"), &Emitter::bc});
    table.rows(path("theta"), parameters, &Emitter::theta);
    auto const optimiser = [](auto& emitter) -> auto&
    {
        return emitter.optimiser;
    };
    optimiser_columns(table, "/state/emitter", parameters, optimiser);
}

inline constexpr char const* cma_group = "/state/emitter_cma";
inline constexpr char const* cma_mean = "/state/emitter_cma/mean";

/// Records are emitters that all have a CmaState: of their `parameters` with a diagonal covariance,
/// or, with a mean, of `coefficients` numbers.
template <class Table>
void cma_columns(Table const& table, bool has_mean, std::int64_t parameters,
                 std::int64_t coefficients)
{
    auto const path = [](char const* name) { return fmt::format("{}/{}", cma_group, name); };
    auto const of = [](auto member) {
        return [member](auto& emitter) -> auto&
        {
            return emitter.cma.*member;
        };
    };
    auto const width = has_mean ? coefficients : parameters;
    table.column(path("sigma"), of(&CmaState::sigma));
    table.column(path("updates"), of(&CmaState::updates));
    table.rows(path("step_path"), width, of(&CmaState::step_path));
    table.rows(path("covariance_path"), width, of(&CmaState::covariance_path));
    table.rows(path("covariance"), has_mean ? width * width : width, of(&CmaState::covariance));
    if (has_mean) {
        table.rows(cma_mean, width, of(&CmaState::mean));
    }
}

inline constexpr char const* threshold_group = "/state/threshold";
inline constexpr char const* archive_fitness = "/state/archive_fitness";
inline constexpr char const* candidate_group = "/state/candidate";

/// A Candidate with values instead of pointers.
struct StoredCandidate {
    Controller controller;
    std::optional<CellId> parent_cell;
    bool has_optimiser{false};
    OptimiserState optimiser;
};

/// `group` is where the datasets are.
template <class Table>
void candidate_columns(Table const& table, std::string const& group, BehaviourSpace const& space,
                       NetworkShape const& network)
{
    using C = StoredCandidate;
    auto const path = [&](char const* name) { return fmt::format("{}/{}", group, name); };
    auto const normaliser = [](auto member) {
        return [member](auto& candidate) -> auto&
        {
            return candidate.controller.normaliser.*member;
        };
    };
    auto const parameters = [](auto& candidate) -> auto&
    {
        return candidate.controller.parameters;
    };
    table.column(path("parent_cell"), &C::parent_cell, cell_or_none(space));
    table.rows(path("observation_mean"), network.inputs(), normaliser(&Normaliser::mean));
    table.rows(path("observation_std"), network.inputs(), normaliser(&Normaliser::std));
    table.rows(path("parameters"), network.parameter_count(), parameters);
    table.column(path("has_optimiser"), &C::has_optimiser, {0, 1});
    auto const optimiser = [](auto& candidate) -> auto&
    {
        return candidate.optimiser;
    };
    optimiser_columns(table, group, network.parameter_count(), optimiser);
}

inline constexpr char const* elite_optimiser_group = "/state/elite_optimiser";

/// `state` is a State, const to write it.
template <class Attributes, class SearchState>
void state_attributes(Attributes const& attributes, SearchState& state)
{
    attributes("generation", state.generation);
    attributes("evaluated", state.evaluated, {0, 1});
    attributes("active", state.active, {none, std::ssize(state.emitters) - 1});
    attributes("episodes", state.episodes);
    attributes("steps", state.steps);
    attributes("diverged", state.diverged);
    attributes("nsra_weight", state.nsra.weight);
    attributes("nsra_best", state.nsra.best);
    attributes("nsra_generations_without", state.nsra.generations_without);
    attributes("observation_count", state.observations.count);
}

template <class Table>
void reevaluation_columns(Table const& table, BehaviourSpace const& space)
{
    using R = Reevaluation::Row;
    Range const cell{0, space.cells() - 1};
    table.column("/evaluation/stored_cell", &R::stored_cell, cell);
    table.column("/evaluation/cell", &R::cell, cell);
    table.column("/evaluation/stored_fitness", &R::stored_fitness);
    table.column("/evaluation/fitness", &R::fitness);
    table.column("/evaluation/fitness_std", &R::fitness_std);
    table.rows("/evaluation/bc", space.dimensions(), &R::bc);
    table.rows("/evaluation/bc_std", space.dimensions(), &R::bc_std);
    table.column("/evaluation/kept", &R::kept, {0, 1});
}

template <class Table>
void variant_columns(Table const& table, std::int64_t variants)
{
    using R = Reevaluation::Row;
    auto const summary = [](auto member) {
        return [member](R const& row) { return summarise_variants(row.variant_fitness).*member; };
    };
    table.rows("/evaluation/variant_fitness", variants, &R::variant_fitness);
    table.computed_column("/evaluation/variant_mean", summary(&VariantSummary::mean));
    table.computed_column("/evaluation/robust", summary(&VariantSummary::robust));
    table.computed_column("/evaluation/variant_worst", summary(&VariantSummary::worst));
}

/// Whether a change file has the rows of an object only for the elites that have changed.
[[nodiscard]] inline bool belongs_to_controllers(std::string const& object)
{
    return object == "/map/parameters" || object.starts_with("/map/observation_")
           || object.starts_with(elite_optimiser_group);
}

}  // namespace mees::layout

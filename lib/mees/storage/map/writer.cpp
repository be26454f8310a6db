#include "mees/storage/detail/domain_group.hpp"
#include "mees/storage/hdf5/detail/byte_counter.hpp"
#include "mees/storage/map/changes.hpp"
#include "mees/storage/map/detail/layout.hpp"
#include "mees/storage/map/detail/links.hpp"
#include "mees/storage/map/detail/refinement_layout.hpp"
#include "mees/storage/map/file.hpp"

namespace mees {
namespace {

using layout::AttributeWriter;
using layout::ColumnWriter;
using EliteTable = std::map<CellId, Elite>;

// `File` is hdf5::Writer or hdf5::ByteCounter.

template <class File>
void write_root(File& file, MapDocument const& document, FileKind const& kind)
{
    auto const& history = document.state.history;
    auto const last = history.empty() ? GenerationRecord{} : history.back();
    write_run_attributes(file, kind, document.run, {last.generation, last.episodes, last.steps});
}

std::vector<std::int64_t> stored_bins(BehaviourSpace const& space)
{
    if (space.is_grid()) {
        return space.bins();
    }
    std::vector<std::int64_t> bins(static_cast<std::size_t>(space.dimensions()), 1);
    bins.front() = space.cells();
    return bins;
}

template <class File>
void write_space(File& file, MapDocument const& document)
{
    auto const& space = document.state.map.space();
    file.attribute("/map", "bins", std::span<std::int64_t const>{stored_bins(space)});
    file.attribute("/map", "lower", std::span<double const>{space.lower()});
    file.attribute("/map", "upper", std::span<double const>{space.upper()});
    file.attribute("/map", "bc_names", document.bc_names);
    file.attribute("/map", "layers", std::span<std::int64_t const>{document.network.layers()});
    if (document.network.output() != OutputActivation::tanh) {
        file.attribute("/map", "output", name_of(document.network.output()));
    }
    file.attribute("/map", "qd_offset", document.qd_offset);
    if (!space.is_grid()) {
        file.dataset("/map/centroids", std::span<double const>{space.centroids()},
                     {space.cells(), space.dimensions()});
    }
}

/// The figures of all elites, and the controllers of those in `written`.
template <class File>
void write_elites(File& file, MapDocument const& document, EliteTable const& written)
{
    auto const& space = document.state.map.space();
    ColumnWriter const table{file, document.state.map.elites()};
    layout::elite_columns(table, space);
    table.rows("/map/bins", space.dimensions(),
               [&](auto const& entry) { return space.bins_of(entry.first); });
    layout::elite_state_columns(table, document.state.archive.size());
    layout::controller_rows(ColumnWriter{file, written}, document.network);
}

/// Chains of controllers, where there are some.
template <class File>
void write_links(File& file, MapDocument const& document, layout::LinkTable const& links)
{
    if (links.empty()) {
        return;
    }
    auto const& network = document.network;
    auto const& state = document.state;
    ColumnWriter const table{file, links.links()};
    table.rows(
        layout::link_mean, network.inputs(),
        [](Controller const* link) -> auto& { return link->normaliser.mean; });
    table.rows(
        layout::link_std, network.inputs(),
        [](Controller const* link) -> auto& { return link->normaliser.std; });
    table.large_rows(
        layout::link_parameters, network.parameter_count(),
        [](Controller const* link) -> auto& { return link->parameters; });
    ColumnWriter const elites{file, state.map.elites()};
    elites.column(layout::elite_links, [](auto const& entry) {
        return static_cast<std::int32_t>(links_of(entry.second.controller));
    });
    elites.rows(layout::elite_link_index, links.width(),
                [&](auto const& entry) { return links.row(entry.second.controller->before); });
    ColumnWriter{file, state.emitters}.rows(
        layout::emitter_link_index, links.width(),
        [&](Emitter const& emitter) { return links.row(emitter.before); });
    if (!state.candidates.empty()) {
        ColumnWriter{file, state.candidates}.rows(
            layout::candidate_link_index, links.width(),
            [&](Candidate const& candidate) { return links.row(candidate.controller->before); });
    }
}

/// The optimiser's state of each of these elites, where the search keeps them.
template <class File>
void write_elite_optimisers(File& file, MapDocument const& document, EliteTable const& elites)
{
    auto const kept = [](auto const& entry) { return entry.second.optimiser != nullptr; };
    if (std::ranges::none_of(elites, kept)) {
        return;
    }
    std::string const group = layout::elite_optimiser_group;
    file.group(group);
    ColumnWriter const table{file, elites};
    table.column(group + "/steps", [](auto const& entry) {
        auto const& optimiser = entry.second.optimiser;
        return optimiser ? std::optional{optimiser->steps} : std::nullopt;
    });
    table.column(group + "/has_moments", [](auto const& entry) {
        auto const& optimiser = entry.second.optimiser;
        return optimiser != nullptr && optimiser->first_moment.size() != 0;
    });
    Eigen::VectorXf const zeros = Eigen::VectorXf::Zero(document.network.parameter_count());
    auto const moment = [&](auto member) {
        return [&zeros, member](auto const& entry) -> Eigen::VectorXf const& {
            auto const& optimiser = entry.second.optimiser;
            return optimiser && ((*optimiser).*member).size() != 0 ? (*optimiser).*member : zeros;
        };
    };
    table.large_rows(group + "/first_moment", zeros.size(), moment(&OptimiserState::first_moment));
    table.large_rows(group + "/second_moment", zeros.size(),
                     moment(&OptimiserState::second_moment));
}

template <class File>
void write_candidates(File& file, MapDocument const& document)
{
    std::vector<layout::StoredCandidate> candidates;
    for (auto const& candidate : document.state.candidates) {
        auto const& optimiser = candidate.optimiser;
        candidates.push_back({*candidate.controller, candidate.parent_cell, optimiser != nullptr,
                              optimiser ? *optimiser : OptimiserState{}});
    }
    if (!candidates.empty()) {
        file.group(layout::candidate_group);
        layout::candidate_columns(ColumnWriter{file, candidates}, layout::candidate_group,
                                  document.state.map.space(), document.network);
    }
}

/// What CMA-ES keeps for each emitter, where the search uses it.
template <class File>
void write_cma(File& file, MapDocument const& document)
{
    auto const& emitters = document.state.emitters;
    if (emitters.empty() || emitters.front().cma.covariance.size() == 0) {
        return;
    }
    file.group(layout::cma_group);
    layout::cma_columns(ColumnWriter{file, emitters}, emitters.front().cma.mean.size() != 0,
                        document.network.parameter_count(),
                        document.state.map.space().dimensions() + 1);
}

/// CMA-MAE's thresholds, where the search has some.
template <class File>
void write_thresholds(File& file, std::map<CellId, double> const& thresholds)
{
    if (thresholds.empty()) {
        return;
    }
    std::string const group = layout::threshold_group;
    file.group(group);
    ColumnWriter const table{file, thresholds};
    table.column(group + "/cell", [](auto const& entry) { return entry.first; });
    table.column(group + "/value", [](auto const& entry) { return entry.second; });
}

template <class File>
void write_archive(File& file, NoveltyArchive const& archive)
{
    file.dataset("/novelty_archive/bc", archive.entries(), {archive.size(), archive.dimensions()});
    file.attribute("/novelty_archive", "k", archive.settings().k);
    file.attribute("/novelty_archive", "metric", name_of(archive.settings().metric));
    if (archive.settings().window != 0) {
        file.attribute("/novelty_archive", "window", archive.settings().window);
    }
}

template <class File>
void write_state(File& file, MapDocument const& document)
{
    auto const& state = document.state;
    auto const& moments = state.observations;
    layout::state_attributes(AttributeWriter{file, "/state"}, state);
    file.dataset("/state/observation_sum", span_of(moments.sum), {moments.sum.size()});
    file.dataset("/state/observation_sum_of_squares", span_of(moments.sum_of_squares),
                 {moments.sum_of_squares.size()});
    if (!state.archive_fitness.empty()) {
        file.dataset(layout::archive_fitness, state.archive_fitness);
    }
    layout::emitter_columns(ColumnWriter{file, state.emitters}, state.map.space(),
                            document.network.parameter_count(), state.archive.size());
}

template <class File>
void write_reevaluation(File& file, Reevaluation const& reevaluation, BehaviourSpace const& space)
{
    file.group(layout::evaluation_group);
    AttributeWriter const attributes{file, layout::evaluation_group};
    attributes("episodes", reevaluation.episodes);
    attributes("seed", reevaluation.seed);
    attributes("map_sha256", reevaluation.map_sha256);
    if (reevaluation.independent) {
        file.attribute(layout::evaluation_group, "independent", std::int64_t{1});
    }
    if (!reevaluation.conditions.empty()) {
        file.attribute(layout::evaluation_group, "conditions", reevaluation.conditions);
    }
    ColumnWriter const table{file, reevaluation.rows};
    layout::reevaluation_columns(table, space);
    if (auto const& variants = reevaluation.variants) {
        attributes("variants", variants->text);
        attributes("variant_episodes", variants->episodes);
        file.dataset("/evaluation/variant", variants->variants);
        layout::variant_columns(table, std::ssize(variants->variants));
    }
}

/// All but the domain, which does not change.
template <class File>
void write_search(File& file, MapDocument const& document, EliteTable const& written)
{
    auto const& state = document.state;
    write_space(file, document);
    write_elites(file, document, written);
    write_archive(file, state.archive);
    layout::history_columns(ColumnWriter{file, state.history}, state.map.space());
    layout::timing_columns(ColumnWriter{file, document.timing});
    write_state(file, document);
    write_candidates(file, document);
    write_cma(file, document);
    write_thresholds(file, state.thresholds);
    write_elite_optimisers(file, document, written);
}

template <class File>
void write_groups(File& file)
{
    for (auto const* group :
         {"/map", "/novelty_archive", "/history", "/state", "/state/emitter", "/timing"}) {
        file.group(group);
    }
}

template <class File>
void write_document(File& file, MapDocument const& document, layout::LinkTable const& links)
{
    write_groups(file);
    write_root(file, document, layout::kind);
    write_search(file, document, document.state.map.elites());
    write_links(file, document, links);
    if (document.domain) {
        write_domain(file, *document.domain);
    } else if (document.program) {
        write_program(file, *document.program);
    }
    if (document.reevaluation) {
        write_reevaluation(file, *document.reevaluation, document.state.map.space());
    }
    if (document.refinement) {
        layout::write_refinement(file, *document.refinement, document.state.map.space(),
                                 document.network);
    }
}

template <class File>
void write_change_document(File& file, MapDocument const& document, ChangeOrigin const& origin)
{
    auto changed = document.state.map.elites();
    std::erase_if(changed,
                  [&](auto const& entry) { return entry.second.inserted < origin.insertions; });
    write_groups(file);
    file.group(layout::changes_group);
    write_root(file, document, layout::changes_kind);
    layout::change_attributes(AttributeWriter{file, layout::changes_group}, origin);
    write_search(file, document, changed);
}

}  // namespace

std::int64_t raw_bytes(MapDocument const& document)
{
    hdf5::ByteCounter counter;
    write_document(counter, document, layout::LinkTable{document.state});
    return counter.bytes();
}

void write_map(std::filesystem::path const& path, MapDocument const& document,
               std::atomic<bool> const* cancelled)
{
    expects(document.timing.size() == document.state.history.size(),
            "a timing for each generation");
    hdf5::Writer file{path, raw_bytes(document), cancelled};
    write_document(file, document, layout::LinkTable{document.state});
    file.finish();
}

void write_changes(std::filesystem::path const& path, MapDocument const& document,
                   ChangeOrigin const& origin, std::atomic<bool> const* cancelled)
{
    expects(document.timing.size() == document.state.history.size(),
            "a timing for each generation");
    expects(allows_changes(document.state), "controllers that are not chains");
    hdf5::ByteCounter counter;
    write_change_document(counter, document, origin);
    hdf5::Writer file{path, counter.bytes(), cancelled};
    write_change_document(file, document, origin);
    file.finish();
}

}  // namespace mees

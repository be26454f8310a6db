#include "mees/storage/hdf5/detail/digest.hpp"
#include "mees/storage/map/changes.hpp"
#include "mees/storage/map/detail/layout.hpp"
#include "mees/storage/map/detail/links.hpp"
#include "mees/storage/map/file.hpp"

#include <set>

namespace mees {
namespace {

using layout::ColumnReader;

NoveltyArchive read_archive(MapReader const& map)
{
    auto const& file = map.file();
    NoveltySettings settings;
    settings.k = file.integer("/novelty_archive", "k");
    auto const metric = file.text("/novelty_archive", "metric");
    require(file, settings.k > 0, "/novelty_archive@k is not positive");
    auto const known = choice_named<NoveltyMetric>(metric);
    require(file, known.has_value(), "/novelty_archive@metric is neither euclidean nor squared");
    settings.metric = *known;
    if (file.has_attribute("/novelty_archive", "window")) {
        settings.window = file.integer("/novelty_archive", "window");
        require(file, settings.window > 0, "/novelty_archive@window is not positive");
    }
    auto const dimensions = map.space().dimensions();
    NoveltyArchive archive{dimensions, settings};
    auto const entries = map.archive();
    auto const width = static_cast<std::size_t>(dimensions);
    for (std::size_t begin = 0; begin < entries.size(); begin += width) {
        archive.add(std::span{entries}.subspan(begin, width));
    }
    return archive;
}

std::vector<double> read_archive_fitness(MapReader const& map, NoveltyArchive const& archive)
{
    std::string const path = layout::archive_fitness;
    if (!map.file().has(path)) {
        return {};
    }
    auto values = map.file().values<double>(path, {archive.size()});
    require_finite(map.file(), path, values);
    return values;
}

Eigen::VectorXf read_elite_moment(MapReader const& map, char const* name, std::int64_t row)
{
    auto const path = fmt::format("{}/{}", layout::elite_optimiser_group, name);
    Eigen::VectorXf values(map.network().parameter_count());
    std::span<float> const span{values.data(), static_cast<std::size_t>(values.size())};
    map.file().row(path, row, span);
    require_finite(map.file(), path, std::span<float const>{span});
    return values;
}

/// The optimiser's state of each elite, or nulls where the file keeps none, or they are dropped.
std::vector<std::shared_ptr<OptimiserState const>> read_elite_optimisers(MapReader const& map,
                                                                         std::size_t elites,
                                                                         Controllers controllers)
{
    std::vector<std::shared_ptr<OptimiserState const>> states(elites);
    auto const& file = map.file();
    std::string const group = layout::elite_optimiser_group;
    if (!file.has(group)) {
        return states;
    }
    auto const rows = static_cast<std::int64_t>(elites);
    auto const steps = file.values<std::int64_t>(group + "/steps", {rows});
    require_range(file, group + "/steps", steps, layout::none, most);
    auto const has_moments = file.values<std::uint8_t>(group + "/has_moments", {rows});
    for (std::size_t i = 0; i < elites; ++i) {
        if (steps[i] != layout::none) {
            OptimiserState state{.steps = steps[i]};
            if (has_moments[i] != 0) {
                auto const row = static_cast<std::int64_t>(i);
                state.first_moment = read_elite_moment(map, "first_moment", row);
                state.second_moment = read_elite_moment(map, "second_moment", row);
            }
            if (controllers == Controllers::kept) {
                states[i] = std::make_shared<OptimiserState const>(std::move(state));
            }
        }
    }
    return states;
}

/// The controller of an elite, with the earlier links that it shares with others.
ControllerPtr read_chain(MapReader const& map, std::int64_t row, std::int32_t links,
                         layout::LinkReader& reader)
{
    auto controller = map.last_link(row);
    controller.before = reader.before(layout::elite_link_index, row);
    auto chain = std::make_shared<Controller const>(std::move(controller));
    require(map.file(), links_of(chain) == links,
            fmt::format("{} of row {} is not the number of its links", layout::elite_links, row));
    return chain;
}

/// The controller of an elite that did not change, from the state before the changes.
void take_controller(hdf5::Reader const& file, CellId cell, Elite& elite, EliteMap const& before)
{
    auto const* const stored = before.find(cell);
    require(file,
            stored != nullptr && stored->inserted == elite.inserted
                && stored->fitness == elite.fitness && stored->bc == elite.bc,
            fmt::format("the elite of cell {} is neither in this file nor in the one before it",
                        cell.value()));
    elite.controller = stored->controller;
    elite.optimiser = stored->optimiser;
}

/// The file has the controllers of the elites from number `first` on; the others are those of
/// `before`, or null without it.
EliteMap read_elites(MapReader const& map, NoveltyArchive const& archive, std::int64_t first,
                     EliteMap const* before, layout::LinkReader& link_reader,
                     Controllers controllers, ParameterStorePtr const& store)
{
    auto const& file = map.file();
    auto elites = map.elites();
    layout::elite_state_columns(ColumnReader{file, std::span{elites}}, archive.size());
    auto const is_stored = [&](auto const& entry) { return entry.second.inserted >= first; };
    auto const stored = std::ranges::count_if(elites, is_stored);
    auto optimisers = read_elite_optimisers(map, static_cast<std::size_t>(stored), controllers);
    auto const links = map.links();
    std::set<std::int64_t> inserted;
    EliteMap result{map.space(), store};
    std::int64_t row = 0;
    for (auto& entry : elites) {
        auto& [cell, elite] = entry;
        require(file, inserted.insert(elite.inserted).second,
                "/state/elite_inserted holds a number twice");
        if (is_stored(entry)) {
            auto const index = static_cast<std::size_t>(row);
            auto controller = read_chain(map, row++, links[index], link_reader);
            if (controllers == Controllers::kept) {
                elite.controller = std::move(controller);
            }
            elite.optimiser = std::move(optimisers[index]);
        } else if (before != nullptr) {
            take_controller(file, cell, elite, *before);
        }
        result.restore(cell, std::move(elite));
    }
    return result;
}

Eigen::VectorXd read_moment(MapReader const& map, std::string const& path)
{
    auto const values = map.file().values<double>(path, {map.network().inputs()});
    require_finite(map.file(), path, values);
    return vector_of<Eigen::VectorXd>(values);
}

std::vector<Emitter> read_emitters(MapReader const& map, NoveltyArchive const& archive,
                                   layout::LinkReader& links)
{
    auto const& file = map.file();
    std::vector<Emitter> emitters(file.values<std::int64_t>("/state/emitter/steps").size());
    layout::emitter_columns(ColumnReader{file, std::span{emitters}}, map.space(),
                            map.network().parameter_count(), archive.size());
    for (std::size_t i = 0; i < emitters.size(); ++i) {
        emitters[i].before = links.before(layout::emitter_link_index, static_cast<std::int64_t>(i));
    }
    if (file.has(layout::cma_group)) {
        layout::cma_columns(ColumnReader{file, std::span{emitters}}, file.has(layout::cma_mean),
                            map.network().parameter_count(), map.space().dimensions() + 1);
        for (auto const& emitter : emitters) {
            bool const separable = emitter.cma.mean.size() == 0;
            require(file, emitter.cma.sigma > 0, "/state/emitter_cma/sigma is not positive");
            require(file, !separable || (emitter.cma.covariance.array() > 0).all(),
                    "/state/emitter_cma/covariance is not positive");
        }
    }
    return emitters;
}

std::vector<Candidate> read_candidates(MapReader const& map, layout::LinkReader& links)
{
    auto const& file = map.file();
    std::string const group = layout::candidate_group;
    if (!file.has(group)) {
        return {};
    }
    std::vector<layout::StoredCandidate> stored(
        file.values<std::int64_t>(group + "/parent_cell").size());
    layout::candidate_columns(ColumnReader{file, std::span{stored}}, group, map.space(),
                              map.network());
    std::vector<Candidate> candidates;
    for (auto& one : stored) {
        require(file, (one.controller.normaliser.std.array() > 0).all(),
                group + "/observation_std is not positive");
        one.controller.before = links.before(layout::candidate_link_index, std::ssize(candidates));
        candidates.push_back(
            {std::make_shared<Controller const>(std::move(one.controller)), one.parent_cell,
             one.has_optimiser ? std::make_shared<OptimiserState const>(std::move(one.optimiser))
                               : nullptr});
    }
    return candidates;
}

std::map<CellId, double> read_thresholds(MapReader const& map)
{
    auto const& file = map.file();
    std::string const group = layout::threshold_group;
    if (!file.has(group)) {
        return {};
    }
    auto const cells = file.values<std::int64_t>(group + "/cell");
    require_range(file, group + "/cell", cells, 0, map.space().cells() - 1);
    auto const values = file.values<double>(group + "/value", {std::ssize(cells)});
    require_finite(file, group + "/value", values);
    std::map<CellId, double> thresholds;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        thresholds[CellId{cells[i]}] = values[i];
    }
    return thresholds;
}

/// The root's summary and the state must describe the same moment.
void require_consistent(MapReader const& map, State const& state)
{
    auto const& file = map.file();
    if (state.history.empty()) {
        return;
    }
    auto const& last = state.history.back();
    require(file,
            last.generation == map.generation() && last.episodes == map.episodes()
                && last.steps == map.steps(),
            "the last row of /history is not that of the root's attributes");
    require(file,
            state.generation >= last.generation
                && state.generation.value() - last.generation.value() <= 1,
            "/state@generation does not follow the last row of /history");
    require(file, last.coverage == state.map.filled(),
            "/history/coverage is not the number of elites");
}

/// All but the domain.
MapDocument read_search(MapReader const& map, std::int64_t first, EliteMap const* before,
                        Controllers controllers, ParameterStorePtr const& store = nullptr)
{
    require_intact(map.file());
    auto archive = read_archive(map);
    layout::LinkReader links{map, controllers};
    auto elites = read_elites(map, archive, first, before, links, controllers, store);
    State state{std::move(elites),
                std::move(archive),
                {0, read_moment(map, "/state/observation_sum"),
                 read_moment(map, "/state/observation_sum_of_squares")}};
    state.archive_fitness = read_archive_fitness(map, state.archive);
    state.emitters = read_emitters(map, state.archive, links);
    state.candidates = read_candidates(map, links);
    links.require_complete();
    state.thresholds = read_thresholds(map);
    layout::state_attributes(layout::AttributeReader{map.file(), "/state"}, state);
    require(map.file(), state.observations.count > 0, "/state@observation_count is not positive");
    state.history = map.history();
    require_consistent(map, state);
    auto timing = map.timing();
    require(map.file(), timing.size() == state.history.size(),
            "/timing and /history differ in length");
    return {map.run(),       map.bc_names(),   map.network(),
            map.qd_offset(), std::move(state), std::move(timing)};
}

}  // namespace

MapDocument read_map(MapReader const& map, Controllers controllers, ParameterStorePtr const& store)
{
    auto document = read_search(map, 0, nullptr, controllers, store);
    document.reevaluation = map.reevaluation();
    document.domain = map.domain();
    document.program = map.program();
    document.refinement = map.refinement();
    return document;
}

MapDocument read_map(std::filesystem::path const& path, Controllers controllers)
{
    return read_map(MapReader{path}, controllers);
}

MapDocument read_changes(std::filesystem::path const& path, MapDocument const& before,
                         Controllers controllers)
{
    MapReader const map{path, MapContent::changes};
    auto const& stored = before.state.map;
    auto document =
        read_search(map, origin_of(map.file()).insertions, &stored, controllers, stored.store());
    document.domain = before.domain;
    document.program = before.program;
    return document;
}

void check_changes(std::filesystem::path const& path)
{
    MapReader const map{path, MapContent::changes};
    static_cast<void>(
        read_search(map, origin_of(map.file()).insertions, nullptr, Controllers::dropped));
}

}  // namespace mees

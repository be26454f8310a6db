#include "mees/storage/detail/checks.hpp"
#include "mees/storage/map/detail/layout.hpp"
#include "mees/storage/map/detail/reevaluation.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>

namespace mees {
namespace {

using hdf5::Reader;

NetworkShape read_network(Reader const& file)
{
    auto layers = file.integers("/map", "layers");
    constexpr std::int64_t widest = 1 << 24;
    constexpr std::size_t deepest = 64;
    require(file, layers.size() >= 2 && layers.size() <= deepest, "/map@layers is no network");
    for (auto const size : layers) {
        require(file, size > 0 && size <= widest, "/map@layers is no network");
    }
    return NetworkShape{std::move(layers)};
}

BehaviourSpace read_space(Reader const& file)
{
    auto bins = file.integers("/map", "bins");
    auto lower = file.reals("/map", "lower");
    auto upper = file.reals("/map", "upper");
    require(file, !bins.empty() && bins.size() == lower.size() && bins.size() == upper.size(),
            "/map@bins, lower and upper differ in length");
    std::int64_t cells = 1;
    constexpr std::int64_t most_cells = std::int64_t{1} << 40;
    for (std::size_t axis = 0; axis < bins.size(); ++axis) {
        require(file, bins[axis] > 0 && bins[axis] <= most_cells / cells, "/map@bins is no grid");
        require(file, lower[axis] < upper[axis] && std::isfinite(upper[axis] - lower[axis]),
                "/map@lower is not below upper, or too far");
        cells *= bins[axis];
    }
    if (!file.has("/map/centroids")) {
        return {std::move(bins), std::move(lower), std::move(upper)};
    }
    auto const dimensions = static_cast<std::int64_t>(lower.size());
    auto centroids = file.values<double>("/map/centroids", {bins.front(), dimensions});
    require_finite(file, "/map/centroids", centroids);
    return BehaviourSpace::voronoi(std::move(centroids), std::move(lower), std::move(upper));
}

/// Rows of a dataset that decides how long its sisters are.
std::int64_t rows_of(Reader const& file, std::string const& path)
{
    auto const shape = file.shape(path);
    require(file, !shape.empty(), fmt::format("{} has no rows", path));
    return shape.front();
}

}  // namespace

MapReader::MapReader(std::filesystem::path const& path)
    : file_{path},
      format_version_{read_format_version(file_, layout::kind)},
      run_{read_run_attributes(file_)},
      generation_{file_.integer("/", "generation")},
      episodes_{file_.integer("/", "episodes")},
      steps_{file_.integer("/", "steps")},
      bc_names_{file_.texts("/map", "bc_names")},
      network_{read_network(file_)},
      space_{read_space(file_)},
      qd_offset_{file_.real("/map", "qd_offset")}
{
    require(file_, static_cast<std::int64_t>(bc_names_.size()) == space_.dimensions(),
            "/map@bc_names does not name each dimension");
    require_finite(file_, "/map@qd_offset", std::span{&qd_offset_, 1});
    require(file_, generation_.value() >= 0 && episodes_ >= 0 && steps_ >= 0,
            "/@generation, episodes or steps is negative");
}

std::vector<std::pair<CellId, Elite>> MapReader::elites() const
{
    auto const rows = rows_of(file_, "/map/cell");
    auto const dimensions = space_.dimensions();
    auto const cells = file_.values<std::int64_t>("/map/cell", {rows});
    auto const bins = file_.values<std::int32_t>("/map/bins", {rows, dimensions});
    auto const bcs = file_.values<double>("/map/bc", {rows, dimensions});
    auto const generations = file_.values<std::int64_t>("/map/generation", {rows});
    auto const parents = file_.values<std::int64_t>("/map/parent_cell", {rows});
    require_ascending(file_, "/map/cell", cells);
    require_range(file_, "/map/cell", cells, 0, space_.cells() - 1);
    require_range(file_, "/map/generation", generations, 0, generation_.value());
    require_range(file_, "/map/parent_cell", parents, layout::none, space_.cells() - 1);
    require_finite(file_, "/map/bc", bcs);

    std::vector<std::pair<CellId, Elite>> result(static_cast<std::size_t>(rows));
    for (std::size_t row = 0; row < result.size(); ++row) {
        auto& [cell, elite] = result[row];
        auto const begin = static_cast<std::ptrdiff_t>(row) * dimensions;
        cell = CellId{cells[row]};
        elite.bc.assign(bcs.begin() + begin, bcs.begin() + begin + dimensions);
        require(file_, space_.cell_of(elite.bc) == cell,
                fmt::format("/map/bc of row {} does not lie in its cell {}", row, cell.value()));
        require(file_,
                std::ranges::equal(
                    space_.bins_of(cell),
                    std::span{bins}.subspan(static_cast<std::size_t>(begin), elite.bc.size())),
                fmt::format("/map/bins of row {} is not that of its cell {}", row, cell.value()));
        elite.generation = Generation{generations[row]};
        elite.parent_cell = cell_or_none(parents[row]);
    }
    for (auto const& [path, member] : layout::elite_reals) {
        auto const values = file_.values<double>(path, {rows});
        require_finite(file_, path, values);
        for (std::size_t row = 0; row < result.size(); ++row) {
            result[row].second.*member = values[row];
        }
    }
    for (auto const& [cell, elite] : result) {
        require(file_, elite.fitness_std >= 0 && elite.novelty >= 0,
                fmt::format("/map/fitness_std or novelty of cell {} is negative", cell.value()));
    }
    return result;
}

ControllerPtr MapReader::controller(std::int64_t row) const
{
    auto const shape = file_.shape("/map/parameters");
    require(file_, shape.size() == 2 && shape[1] == network_.parameter_count(),
            "/map/parameters does not fit the network");
    auto controller = std::make_shared<Controller>();
    controller->parameters.resize(network_.parameter_count());
    controller->normaliser.mean.resize(network_.inputs());
    controller->normaliser.std.resize(network_.inputs());
    auto const parameters = layout::span_of(controller->parameters);
    auto const mean = layout::span_of(controller->normaliser.mean);
    auto const std = layout::span_of(controller->normaliser.std);
    file_.row("/map/parameters", row, parameters);
    file_.row("/map/observation_mean", row, mean);
    file_.row("/map/observation_std", row, std);
    require_finite(file_, "/map/parameters", parameters);
    require_finite(file_, "/map/observation_mean", mean);
    require_finite(file_, "/map/observation_std", std);
    require(file_, std::ranges::all_of(std, [](double s) { return s > 0; }),
            "/map/observation_std is not positive");
    return controller;
}

std::vector<double> MapReader::archive() const
{
    auto const rows = rows_of(file_, "/novelty_archive/bc");
    auto values = file_.values<double>("/novelty_archive/bc", {rows, space_.dimensions()});
    require_finite(file_, "/novelty_archive/bc", values);
    return values;
}

std::vector<GenerationRecord> MapReader::history() const
{
    auto const rows = rows_of(file_, "/history/generation");
    auto const generations = file_.values<std::int64_t>("/history/generation", {rows});
    auto const modes = file_.values<std::int8_t>("/history/mode", {rows});
    require_ascending(file_, "/history/generation", generations);
    require_range(file_, "/history/generation", generations, 0, generation_.value());
    require_range(file_, "/history/mode", modes, 0, 2);
    std::vector<GenerationRecord> result(static_cast<std::size_t>(rows));
    for (std::size_t row = 0; row < result.size(); ++row) {
        result[row].generation = Generation{generations[row]};
        result[row].mode = static_cast<Mode>(modes[row]);
    }
    for (auto const& [path, member] : layout::history_cells) {
        auto const values = file_.values<std::int64_t>(path, {rows});
        require_range(file_, path, values, layout::none, space_.cells() - 1);
        for (std::size_t row = 0; row < result.size(); ++row) {
            result[row].*member = cell_or_none(values[row]);
        }
    }
    for (auto const& [path, member] : layout::history_reals) {
        auto const values = file_.values<double>(path, {rows});
        require_finite(file_, path, values);
        for (std::size_t row = 0; row < result.size(); ++row) {
            result[row].*member = values[row];
        }
    }
    for (auto const& [path, member] : layout::history_counts) {
        auto const values = file_.values<std::int64_t>(path, {rows});
        require_range(file_, path, values, 0, most);
        for (std::size_t row = 0; row < result.size(); ++row) {
            result[row].*member = values[row];
        }
    }
    return result;
}

std::optional<Reevaluation> MapReader::reevaluation() const
{
    return read_reevaluation(file_, space_);
}

std::vector<GenerationTiming> MapReader::timing() const
{
    auto const rows = rows_of(file_, "/timing/seconds");
    auto const seconds = file_.values<double>("/timing/seconds", {rows});
    auto const workers = file_.values<std::int32_t>("/timing/workers", {rows});
    require_finite(file_, "/timing/seconds", seconds);
    std::vector<GenerationTiming> result;
    for (std::size_t row = 0; row < seconds.size(); ++row) {
        result.push_back({seconds[row], workers[row]});
    }
    for (auto const& [path, member] : layout::timing_reals) {
        if (file_.has(path)) {
            auto const values = file_.values<double>(path, {rows});
            require_finite(file_, path, values);
            for (std::size_t row = 0; row < result.size(); ++row) {
                result[row].*member = values[row];
            }
        }
    }
    return result;
}

}  // namespace mees

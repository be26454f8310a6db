#include "mees/config/bounds.hpp"
#include "mees/config/settings.hpp"
#include "mees/storage/detail/domain_group.hpp"
#include "mees/storage/map/detail/layout.hpp"
#include "mees/storage/map/detail/links.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>

namespace mees {
namespace {

using hdf5::Reader;
using layout::AttributeReader;
using layout::ColumnReader;

NetworkShape read_network(Reader const& file)
{
    auto layers = file.integers("/map", "layers");
    require(file, layers.size() >= 2 && layers.size() <= bounds::layers,
            "/map@layers is not a network");
    for (auto const size : layers) {
        require(file, size > 0 && size <= bounds::layer_size, "/map@layers is not a network");
    }
    auto output = std::optional{OutputActivation::tanh};
    if (file.has_attribute("/map", "output")) {
        output = choice_named<OutputActivation>(file.text("/map", "output"));
        require(file, output.has_value(), "/map@output is not an activation");
    }
    return NetworkShape{std::move(layers), *output};
}

BehaviourSpace read_space(Reader const& file)
{
    auto bins = file.integers("/map", "bins");
    auto lower = file.reals("/map", "lower");
    auto upper = file.reals("/map", "upper");
    require(file, !bins.empty() && bins.size() == lower.size() && bins.size() == upper.size(),
            "/map@bins, lower and upper differ in length");
    std::int64_t cells = 1;
    constexpr auto most_cells = static_cast<std::int64_t>(MapSettings::most_cells);
    for (std::size_t axis = 0; axis < bins.size(); ++axis) {
        require(file, bins[axis] > 0 && bins[axis] <= most_cells / cells,
                "/map@bins is not a grid");
        require(file, lower[axis] < upper[axis] && std::isfinite(upper[axis] - lower[axis]),
                "/map@lower is not below upper, or too far from it");
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

/// One record per row of this column. Reads it, so that a damaged file cannot claim more rows than
/// it holds.
template <class Record, class Value = std::int64_t>
std::vector<Record> records_for(Reader const& file, std::string const& column)
{
    return std::vector<Record>(file.values<Value>(column).size());
}

/// Reads one row of each of a controller's datasets.
struct ControllerReader {
    Reader const& file;
    std::int64_t row;
    Controller& controller;

    template <class Access>
    void rows(std::string const& path, std::int64_t width, Access const& access) const
    {
        auto const shape = file.shape(path);
        require(file, shape.size() == 2 && shape[1] == width,
                fmt::format("{} does not fit the network", path));
        auto& target = access(controller);
        Eigen::Matrix<std::remove_cvref_t<decltype(*target.data())>, Eigen::Dynamic, 1> values(
            width);
        file.row(path, row, span_of(values));
        require_finite(file, path, span_of(values));
        target = std::move(values);
    }
    template <class Access>
    void large_rows(std::string const& path, std::int64_t width, Access const& access) const
    {
        rows(path, width, access);
    }
};

}  // namespace

MapReader::MapReader(std::filesystem::path const& path, MapContent content)
    : file_{path},
      format_version_{read_format_version(
          file_, content == MapContent::changes ? layout::changes_kind : layout::kind)},
      run_{read_run_attributes(file_)},
      bc_names_{file_.texts("/map", "bc_names")},
      network_{read_network(file_)},
      space_{read_space(file_)},
      qd_offset_{file_.real("/map", "qd_offset")}
{
    auto const progress = read_progress(file_);
    generation_ = progress.generation;
    episodes_ = progress.episodes;
    steps_ = progress.steps;
    require(file_, std::ssize(bc_names_) == space_.dimensions(),
            "/map@bc_names does not name each dimension");
    require_finite(file_, "/map@qd_offset", std::array{qd_offset_});
}

std::vector<std::pair<CellId, Elite>> MapReader::elites() const
{
    auto result = records_for<std::pair<CellId, Elite>>(file_, "/map/cell");
    layout::elite_columns(ColumnReader{file_, std::span{result}}, space_, generation_);
    require_ascending(file_, "/map/cell", result, &std::pair<CellId, Elite>::first);
    auto const width = static_cast<std::size_t>(space_.dimensions());
    auto const bins =
        file_.values<std::int32_t>("/map/bins", {std::ssize(result), space_.dimensions()});
    for (std::size_t row = 0; row < result.size(); ++row) {
        auto const& [cell, elite] = result[row];
        require(file_, space_.cell_of(elite.bc) == cell,
                fmt::format("/map/bc of row {} is not in its cell {}", row, cell.value()));
        require(
            file_,
            std::ranges::equal(space_.bins_of(cell), std::span{bins}.subspan(row * width, width)),
            fmt::format("/map/bins of row {} is not that of its cell {}", row, cell.value()));
        require(file_, elite.fitness_std >= 0 && elite.novelty >= 0,
                fmt::format("/map/fitness_std or novelty of cell {} is negative", cell.value()));
    }
    return result;
}

Controller MapReader::last_link(std::int64_t row) const
{
    Controller controller;
    layout::controller_rows(ControllerReader{file_, row, controller}, network_);
    require(file_, (controller.normaliser.std.array() > 0).all(),
            "/map/observation_std is not positive");
    return controller;
}

ControllerPtr MapReader::controller(std::int64_t row) const
{
    auto controller = last_link(row);
    controller.before = layout::LinkReader{*this}.before(layout::elite_link_index, row);
    return std::make_shared<Controller const>(std::move(controller));
}

std::vector<std::int32_t> MapReader::links() const
{
    auto const elites = static_cast<std::int64_t>(file_.values<std::int64_t>("/map/cell").size());
    if (!file_.has(layout::elite_links)) {
        return std::vector<std::int32_t>(static_cast<std::size_t>(elites), 1);
    }
    auto links = file_.values<std::int32_t>(layout::elite_links, {elites});
    require_range(file_, layout::elite_links, links, 1, bounds::chain_links);
    return links;
}

std::vector<double> MapReader::archive() const
{
    auto const shape = file_.shape("/novelty_archive/bc");
    require(file_, !shape.empty(), "/novelty_archive/bc has no rows");
    auto values = file_.values<double>("/novelty_archive/bc", {shape.front(), space_.dimensions()});
    require_finite(file_, "/novelty_archive/bc", values);
    return values;
}

std::vector<GenerationRecord> MapReader::history() const
{
    auto result = records_for<GenerationRecord>(file_, "/history/generation");
    layout::history_columns(ColumnReader{file_, std::span{result}}, space_, generation_);
    require_ascending(file_, "/history/generation", result, &GenerationRecord::generation);
    return result;
}

std::vector<GenerationTiming> MapReader::timing() const
{
    auto result = records_for<GenerationTiming, double>(file_, "/timing/seconds");
    layout::timing_columns(ColumnReader{file_, std::span{result}});
    return result;
}

std::shared_ptr<DomainDocument const> MapReader::domain() const
{
    return read_domain(file_);
}

std::optional<ProgramStatement> MapReader::program() const
{
    return read_program(file_);
}

std::optional<Reevaluation> MapReader::reevaluation() const
{
    if (!file_.has(layout::evaluation_group)) {
        return std::nullopt;
    }
    Reevaluation result;
    AttributeReader const attributes{file_, layout::evaluation_group};
    attributes("episodes", result.episodes, {1, most});
    attributes("seed", result.seed, layout::any_integer);
    if (file_.has_attribute(layout::evaluation_group, "map_sha256")) {
        attributes("map_sha256", result.map_sha256);
    }
    result.independent = file_.has_attribute(layout::evaluation_group, "independent");
    if (file_.has_attribute(layout::evaluation_group, "conditions")) {
        result.conditions = file_.texts(layout::evaluation_group, "conditions");
    }
    result.rows = records_for<Reevaluation::Row, std::uint8_t>(file_, "/evaluation/kept");
    ColumnReader const table{file_, std::span{result.rows}};
    layout::reevaluation_columns(table, space_);
    if (file_.has_attribute(layout::evaluation_group, "variants")) {
        auto& variants = result.variants.emplace();
        attributes("variants", variants.text);
        attributes("variant_episodes", variants.episodes, {1, most});
        variants.variants = file_.texts("/evaluation/variant");
        require(file_, !variants.variants.empty(), "/evaluation/variant is empty");
        layout::variant_columns(table, std::ssize(variants.variants));
    }
    return result;
}

}  // namespace mees

#include "mees/inspection/commands.hpp"
#include "mees/report/curve.hpp"
#include "mees/report/metrics_file.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace mees::inspect {
namespace {

using Record = GenerationRecord;

struct Quantity {
    std::string_view name;
    std::string_view meaning;
    std::function<double(Record const&)> value;
};

constexpr std::string_view seconds_name = "seconds";
constexpr std::string_view seconds_meaning = "wall time since the start";

std::vector<Quantity> const& quantities()
{
    auto const count = [](std::int64_t Record::*member) {
        return [member](Record const& row) { return static_cast<double>(row.*member); };
    };
    static std::vector<Quantity> const all{
        {"best", "highest fitness in the map", std::mem_fn(&Record::best)},
        {"coverage", "filled cells", count(&Record::coverage)},
        {"qd_score", "", std::mem_fn(&Record::qd_score)},
        {"fitness", "of the generation's controller", std::mem_fn(&Record::fitness)},
        {"fitness_std", "over its episodes", std::mem_fn(&Record::fitness_std)},
        {"novelty", "of the generation's controller", std::mem_fn(&Record::novelty)},
        {"weight", "of fitness against novelty", std::mem_fn(&Record::weight)},
        {"inserted", "controllers that entered the map", count(&Record::inserted)},
        {"diverged", "episodes since the start", count(&Record::diverged)},
        {"generation", "",
         [](Record const& row) { return static_cast<double>(row.generation.value()); }},
        {"episodes", "since the start", count(&Record::episodes)},
        {"steps", "control steps since the start", count(&Record::steps)},
    };
    return all;
}

/// Throws ConfigError for a name that the history does not have.
Quantity const& quantity_named(std::string const& name)
{
    auto const found = std::ranges::find(quantities(), name, &Quantity::name);
    if (found == quantities().end()) {
        std::string names{seconds_name};
        for (auto const& quantity : quantities()) {
            names += fmt::format(", {}", quantity.name);
        }
        throw ConfigError{fmt::format("unknown column \"{}\"", name),
                          "the history has no such column", fmt::format("Use one of {}.", names)};
    }
    return *found;
}

std::vector<double> column(std::vector<Record> const& history,
                           std::vector<GenerationTiming> const& timing, std::string const& name)
{
    std::vector<double> values;
    if (name == seconds_name) {
        for (auto const& row : timing) {
            values.push_back((values.empty() ? 0 : values.back()) + row.seconds);
        }
        return values;
    }
    std::ranges::transform(history, std::back_inserter(values), quantity_named(name).value);
    return values;
}

/// The label of an axis: the column and, in parentheses, its meaning.
std::string label(std::string const& name, MapReader const& map, double qd_offset)
{
    auto meaning =
        std::string{name == seconds_name ? seconds_meaning : quantity_named(name).meaning};
    if (name == "qd_score") {
        meaning = fmt::format("sum of fitness - offset; offset {:g}", qd_offset);
    } else if (name == "coverage") {
        meaning += fmt::format(" of {}", map.space().cells());
    }
    return meaning.empty() ? name : fmt::format("{} ({})", name, meaning);
}

}  // namespace

ExitCode history(std::filesystem::path const& file, HistoryOptions const& options,
                 Terminal const& terminal, std::ostream& out)
{
    MapReader const map{file};
    auto rows = map.history();
    auto const offset = options.qd_offset.value_or(map.qd_offset());
    for (auto& row : rows) {
        row.qd_score = with_offset(row, map.qd_offset(), offset);
    }
    auto const timing = map.timing();
    if (rows.empty() || timing.size() != rows.size()) {
        throw map.file().error("it has no history of generations");
    }
    if (options.csv) {
        out << metrics_header();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            out << metrics_line(rows[i], offset, timing[i].seconds);
        }
        return ExitCode::success;
    }
    auto const names = options.columns.empty()
                           ? std::vector<std::string>{"best", "coverage", "qd_score"}
                           : options.columns;
    auto const x = column(rows, timing, options.against);
    auto shown = terminal;
    shown.columns = std::min(terminal.columns, 100);
    for (auto const& name : names) {
        auto const y = column(rows, timing, name);
        out << draw(Curve{label(name, map, offset), label(options.against, map, offset), x, y},
                    shown)
            << '\n';
    }
    return ExitCode::success;
}

}  // namespace mees::inspect

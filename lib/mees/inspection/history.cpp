#include "mees/inspection/commands.hpp"
#include "mees/report/curve.hpp"
#include "mees/report/metrics_file.hpp"
#include "mees/storage/map_file.hpp"

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
    std::function<double(Record const&)> value;
};

std::vector<Quantity> const& quantities()
{
    auto const count = [](std::int64_t Record::*member) {
        return [member](Record const& row) { return static_cast<double>(row.*member); };
    };
    static std::vector<Quantity> const all{
        {"best", std::mem_fn(&Record::best)},
        {"coverage", count(&Record::coverage)},
        {"qd_score", std::mem_fn(&Record::qd_score)},
        {"fitness", std::mem_fn(&Record::fitness)},
        {"fitness_std", std::mem_fn(&Record::fitness_std)},
        {"novelty", std::mem_fn(&Record::novelty)},
        {"weight", std::mem_fn(&Record::weight)},
        {"inserted", count(&Record::inserted)},
        {"diverged", count(&Record::diverged)},
        {"generation",
         [](Record const& row) { return static_cast<double>(row.generation.value()); }},
        {"episodes", count(&Record::episodes)},
        {"steps", count(&Record::steps)},
    };
    return all;
}

std::vector<double> column(std::vector<Record> const& history,
                           std::vector<GenerationTiming> const& timing, std::string const& name)
{
    std::vector<double> values;
    if (name == "seconds") {
        for (auto const& row : timing) {
            values.push_back((values.empty() ? 0 : values.back()) + row.seconds);
        }
        return values;
    }
    auto const found = std::ranges::find(quantities(), name, &Quantity::name);
    if (found == quantities().end()) {
        std::string names = "seconds";
        for (auto const& quantity : quantities()) {
            names += fmt::format(", {}", quantity.name);
        }
        throw ConfigError{fmt::format("the history has no column \"{}\"", name), "",
                          fmt::format("Its columns are {}.", names)};
    }
    std::ranges::transform(history, std::back_inserter(values), found->value);
    return values;
}

std::string title(std::string const& name, MapReader const& map)
{
    if (name == "qd_score") {
        return fmt::format("qd_score (offset {:g})", map.qd_offset());
    }
    return name == "coverage" ? fmt::format("coverage (filled cells of {})", map.space().cells())
                              : name;
}

}  // namespace

ExitCode history(std::filesystem::path const& file, HistoryOptions const& options,
                 Terminal const& terminal, std::ostream& out)
{
    MapReader const map{file};
    auto const rows = map.history();
    auto const timing = map.timing();
    if (rows.empty() || timing.size() != rows.size()) {
        throw map.file().error("it has no history of generations");
    }
    if (options.csv) {
        out << metrics_header();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            out << metrics_line(rows[i], map.qd_offset(), timing[i].seconds);
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
        out << draw(Curve{title(name, map), options.against, x, y}, shown) << '\n';
    }
    return ExitCode::success;
}

}  // namespace mees::inspect

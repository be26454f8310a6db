#include "mees/benchmark/measure.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <sstream>
#include <utility>

namespace mees::bench {
namespace {

/// The value of a key in one line of the output of Table::json.
std::string field(std::string const& line, std::string const& key)
{
    auto const mark = fmt::format("\"{}\": ", key);
    auto begin = line.find(mark);
    expects(begin != std::string::npos, "a row as mees_bench writes it");
    begin += mark.size();
    if (line[begin] == '"') {
        return line.substr(begin + 1, line.find('"', begin + 1) - begin - 1);
    }
    return line.substr(begin, line.find_first_of(",}", begin) - begin);
}

double number(std::string const& line, std::string const& key)
{
    return std::strtod(field(line, key).c_str(), nullptr);
}

char const* sign(std::optional<Target> const& goal)
{
    return goal && goal->direction == Goal::at_least ? ">=" : "<=";
}

/// "episode   Ant   0.975 (0.970 .. 0.981)   >= 0.96   ok"
std::string to_line(Row const& row)
{
    auto const value = fmt::format("{:.4g} {}", row.value.median, row.unit);
    auto const spread = fmt::format("({:.4g} .. {:.4g})", row.value.low, row.value.high);
    auto const goal = row.goal ? fmt::format("{} {:g}  {}", sign(row.goal), row.goal->value,
                                             row.met() ? "ok" : "MISSED")
                               : "";
    return fmt::format("{:<11} {:<46} {:>14} {:<22} {}", row.group, row.what, value, spread, goal);
}

double seconds_on(clockid_t clock)
{
    timespec time = {};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

double processor_seconds()
{
    return seconds_on(CLOCK_PROCESS_CPUTIME_ID);
}

double wall_seconds()
{
    return seconds_on(CLOCK_MONOTONIC);
}

Spread spread_of(std::vector<double> values)
{
    expects(!values.empty(), "at least one measurement");
    std::ranges::sort(values);
    auto const at = [&](double share) {
        return values[static_cast<std::size_t>(
            std::lround(share * static_cast<double>(values.size() - 1)))];
    };
    return {at(0.5), at(0.25), at(0.75)};
}

bool Row::met() const
{
    if (!goal) {
        return true;
    }
    return goal->direction == Goal::at_most ? value.median <= goal->value
                                            : value.median >= goal->value;
}

void Table::add(std::string group, std::string what, std::string unit, std::vector<double> values,
                std::optional<Target> goal)
{
    rows_.push_back(
        {std::move(group), std::move(what), std::move(unit), spread_of(std::move(values)), goal});
    std::cout << to_line(rows_.back()) << std::endl;
}

std::string Table::json() const
{
    std::string text = "[\n";
    for (auto const& row : rows_) {
        text += fmt::format(
            R"(  {{"group": "{}", "what": "{}", "unit": "{}", "median": {:.6g}, "low": {:.6g}, "high": {:.6g}, "goal": {}, "goal_is": "{}", "met": {}}}{})",
            row.group, row.what, row.unit, row.value.median, row.value.low, row.value.high,
            row.goal ? fmt::format("{:.6g}", row.goal->value) : "null", sign(row.goal), row.met(),
            &row == &rows_.back() ? "\n" : ",\n");
    }
    return text + "]\n";
}

void Table::add_json(std::string const& text)
{
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) {
        if (line.find("\"group\"") == std::string::npos) {
            continue;
        }
        std::optional<Target> goal;
        if (field(line, "goal") != "null") {
            goal = {field(line, "goal_is") == "<=" ? Goal::at_most : Goal::at_least,
                    number(line, "goal")};
        }
        rows_.push_back({field(line, "group"),
                         field(line, "what"),
                         field(line, "unit"),
                         {number(line, "median"), number(line, "low"), number(line, "high")},
                         goal});
    }
}

}  // namespace mees::bench

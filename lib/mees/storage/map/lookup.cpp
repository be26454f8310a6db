#include "mees/storage/map/lookup.hpp"

#include "mees/config/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

namespace mees {
namespace {

using Elites = std::vector<std::pair<CellId, Elite>>;

template <class Number>
std::optional<Number> parse(std::string_view text)
{
    Number number{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    bool const complete = error == std::errc{} && end == text.data() + text.size();
    return complete ? std::optional{number} : std::nullopt;
}

ConfigError not_a_choice(std::string_view choice, std::string const& why)
{
    return {fmt::format("invalid --cell {}", choice), why,
            "Use best, a cell number, or nearest:x,y."};
}

std::vector<double> parse_point(std::string_view choice, std::string_view text,
                                std::int64_t dimensions)
{
    std::vector<double> point;
    while (true) {
        auto const comma = text.find(',');
        auto const value = parse<double>(text.substr(0, comma));
        if (!value) {
            throw not_a_choice(choice, "expected numbers separated by commas after nearest:");
        }
        point.push_back(*value);
        if (comma == std::string_view::npos) {
            break;
        }
        text.remove_prefix(comma + 1);
    }
    if (std::ssize(point) != dimensions) {
        throw not_a_choice(choice, fmt::format("a BC of this map has {} numbers", dimensions));
    }
    return point;
}

/// Rows by distance to the point, nearest first; the lower row at a tie.
std::vector<std::size_t> by_distance(BehaviourSpace const& space, Elites const& elites,
                                     std::span<double const> point)
{
    std::vector<double> distances;
    std::vector<std::size_t> rows;
    for (auto const& [cell, elite] : elites) {
        double sum = 0;
        for (std::size_t axis = 0; axis < point.size(); ++axis) {
            double const share =
                (elite.bc[axis] - point[axis]) / (space.upper()[axis] - space.lower()[axis]);
            sum += share * share;
        }
        rows.push_back(distances.size());
        distances.push_back(sum);
    }
    std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return distances[row]; });
    return rows;
}

std::vector<double> centre_of(BehaviourSpace const& space, CellId cell)
{
    auto const dimensions = static_cast<std::size_t>(space.dimensions());
    if (!space.is_grid()) {
        auto const begin = space.centroids().begin()
                           + static_cast<std::ptrdiff_t>(cell.value()) * space.dimensions();
        return {begin, begin + space.dimensions()};
    }
    std::vector<double> centre;
    auto const bins = space.bins_of(cell);
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
        double const share = (bins[axis] + 0.5) / static_cast<double>(space.bins()[axis]);
        centre.push_back(space.lower()[axis] + share * (space.upper()[axis] - space.lower()[axis]));
    }
    return centre;
}

FileError empty_cell(MapReader const& map, Elites const& elites, CellId cell)
{
    constexpr std::size_t named = 5;
    std::vector<std::int64_t> near;
    for (auto const row : by_distance(map.space(), elites, centre_of(map.space(), cell))) {
        near.push_back(elites[row].first.value());
        if (near.size() == named) {
            break;
        }
    }
    return {fmt::format("cell {} of {} is empty", cell.value(), map.file().path().string()),
            fmt::format("the nearest filled cells are {}", fmt::join(near, ", ")),
            "Choose one of them, best, or nearest:x,y."};
}

std::size_t find_cell(MapReader const& map, Elites const& elites, std::int64_t number)
{
    if (number < 0 || number >= map.space().cells()) {
        throw FileError{fmt::format("{} has no cell {}", map.file().path().string(), number),
                        fmt::format("its cells are 0 to {}", map.space().cells() - 1),
                        "Choose one of them, best, or nearest:x,y."};
    }
    auto const found = std::ranges::find(elites, CellId{number}, &Elites::value_type::first);
    if (found == elites.end()) {
        throw empty_cell(map, elites, CellId{number});
    }
    return static_cast<std::size_t>(found - elites.begin());
}

std::size_t choose_row(MapReader const& map, Elites const& elites, std::string_view choice)
{
    constexpr std::string_view nearest = "nearest:";
    if (choice == "best") {
        auto const best = std::ranges::max_element(
            elites, {}, [](auto const& entry) { return entry.second.fitness; });
        return static_cast<std::size_t>(best - elites.begin());
    }
    if (choice.starts_with(nearest)) {
        auto const point =
            parse_point(choice, choice.substr(nearest.size()), map.space().dimensions());
        return by_distance(map.space(), elites, point).front();
    }
    auto const number = parse<std::int64_t>(choice);
    if (!number) {
        throw not_a_choice(choice, "expected best, a cell number, or nearest:x,y");
    }
    return find_cell(map, elites, *number);
}

}  // namespace

StoredElite choose_elite(MapReader const& map, std::string_view choice)
{
    auto elites = map.elites();
    if (elites.empty()) {
        throw FileError{fmt::format("{} holds no elites", map.file().path().string()),
                        "nothing has been evaluated yet", "Let the run continue first."};
    }
    auto const row = choose_row(map, elites, choice);
    return {static_cast<std::int64_t>(row), elites[row].first, std::move(elites[row].second)};
}

std::optional<std::vector<CellId>> parse_cell_list(std::string_view text)
{
    std::vector<CellId> cells;
    for (std::size_t begin = 0, comma = 0; begin <= text.size(); begin = comma + 1) {
        comma = std::min(text.find(',', begin), text.size());
        auto const number = parse<std::int64_t>(text.substr(begin, comma - begin));
        if (!number || *number < 0) {
            return std::nullopt;
        }
        cells.emplace_back(*number);
    }
    return cells;
}

EliteMap elites_without_controllers(MapReader const& map)
{
    EliteMap result{map.space()};
    for (auto& [cell, elite] : map.elites()) {
        result.restore(cell, std::move(elite));
    }
    return result;
}

Settings stored_settings(RunInfo const& run)
{
    try {
        return parse_settings(run.config, "the stored configuration", {}, {});
    } catch (ConfigError const& error) {
        throw FileError{
            "cannot use the stored configuration", error.what(),
            fmt::format("Use mees {}, which wrote the map, or a newer version.", run.mees_version)};
    }
}

}  // namespace mees

#include "mees/inspection/detail/elite_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>

namespace mees::inspect {
namespace {

struct Condition {
    std::string name;
    std::string comparison;
    double value{0};

    [[nodiscard]] bool holds(double other) const
    {
        if (comparison == "<") {
            return other < value;
        }
        if (comparison == "<=") {
            return other <= value;
        }
        if (comparison == ">") {
            return other > value;
        }
        if (comparison == ">=") {
            return other >= value;
        }
        return (other == value) == (comparison == "=");
    }
};

Condition parse_condition(std::string const& text)
{
    auto const begin = text.find_first_of("<>=!");
    auto const end = text.find_first_not_of("<>=!", begin);
    Condition condition;
    double value = 0;
    bool valid = begin != std::string::npos && begin > 0 && end != std::string::npos;
    if (valid) {
        condition.name = text.substr(0, text.find_last_not_of(' ', begin - 1) + 1);
        condition.comparison = text.substr(begin, end - begin);
        auto const number = text.substr(std::min(text.find_first_not_of(' ', end), text.size()));
        auto const [rest, error] =
            std::from_chars(number.data(), number.data() + number.size(), value);
        valid = error == std::errc{} && rest == number.data() + number.size();
        if (condition.comparison == "==") {
            condition.comparison.pop_back();
        }
    }
    constexpr std::string_view known[] = {"<", "<=", ">", ">=", "=", "!="};
    if (!valid || std::ranges::find(known, condition.comparison) == std::end(known)) {
        throw ConfigError{fmt::format("invalid --filter \"{}\"", text),
                          "expected a column, one of < <= > >= = !=, and a number",
                          "Use for example --filter \"fitness>100\"."};
    }
    condition.value = value;
    return condition;
}

struct VariantColumn {
    char const* name;
    double VariantSummary::*member;
};
constexpr std::array<VariantColumn, 3> variant_columns{{{"variant_mean", &VariantSummary::mean},
                                                        {"robust", &VariantSummary::robust},
                                                        {"variant_worst", &VariantSummary::worst}}};

bool is_of_variants(std::string_view name)
{
    return std::ranges::any_of(variant_columns,
                               [&](auto const& column) { return column.name == name; });
}

}  // namespace

EliteTable::EliteTable(MapReader const& map)
{
    auto const elites = map.elites();
    auto const add = [&](std::string name, bool is_integer, auto const& value_of) {
        EliteColumn column{std::move(name), is_integer, {}};
        for (auto const& entry : elites) {
            column.values.push_back(static_cast<double>(value_of(entry.first, entry.second)));
        }
        columns_.push_back(std::move(column));
    };
    auto const& names = map.bc_names();
    add("cell", true, [](CellId cell, Elite const&) { return cell.value(); });
    add("fitness", false, [](CellId, Elite const& elite) { return elite.fitness; });
    add("fitness_std", false, [](CellId, Elite const& elite) { return elite.fitness_std; });
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
        add(names[axis], false, [&](CellId, Elite const& elite) { return elite.bc[axis]; });
    }
    add("novelty", false, [](CellId, Elite const& elite) { return elite.novelty; });
    add("generation", true, [](CellId, Elite const& elite) { return elite.generation.value(); });
    add("parent_cell", true, [](CellId, Elite const& elite) {
        return elite.parent_cell ? elite.parent_cell->value() : -1;
    });
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
        add("bin_" + names[axis], true,
            [&](CellId cell, Elite const&) { return map.space().bins_of(cell)[axis]; });
    }
    if (auto const links = map.links(); std::ranges::any_of(links, [](auto n) { return n > 1; })) {
        columns_.push_back({"links", true, {links.begin(), links.end()}});
    }
    add_variants(map);
}

/// What the variants of the model showed, in a map that was evaluated in some.
void EliteTable::add_variants(MapReader const& map)
{
    auto const reevaluation = map.reevaluation();
    if (!reevaluation || !reevaluation->variants) {
        return;
    }
    std::map<std::int64_t, VariantSummary> summaries;
    for (auto const& row : reevaluation->rows) {
        if (row.kept) {
            summaries.emplace(row.cell.value(), summarise_variants(row.variant_fitness));
        }
    }
    auto const cells = columns_.front().values;
    for (std::size_t i = 0; i < variant_columns.size(); ++i) {
        EliteColumn column{variant_columns[i].name, false, {}};
        for (double const cell : cells) {
            auto const found = summaries.find(static_cast<std::int64_t>(cell));
            if (found == summaries.end()) {
                throw FileError{"/evaluation does not describe /map", "an elite has no row in it",
                                "Evaluate the map again."};
            }
            column.values.push_back(found->second.*variant_columns[i].member);
        }
        columns_.push_back(std::move(column));
    }
}

EliteColumn const& EliteTable::column(std::string_view name) const
{
    auto const found = std::ranges::find(columns_, name, &EliteColumn::name);
    if (found == columns_.end() && is_of_variants(name)) {
        throw ConfigError{fmt::format("unknown column \"{}\"", name),
                          "the elites of this map were not evaluated in variants of the model",
                          "Run mees_evaluate --variants and use the map that it writes."};
    }
    if (found == columns_.end()) {
        std::vector<std::string> names;
        std::ranges::transform(columns_, std::back_inserter(names), &EliteColumn::name);
        throw ConfigError{fmt::format("unknown column \"{}\"", name), "the map has no such column",
                          fmt::format("Use one of {}.", fmt::join(names, ", "))};
    }
    return *found;
}

std::vector<std::size_t> EliteTable::filtered(std::vector<std::size_t> rows,
                                              std::string const& condition) const
{
    auto const parsed = parse_condition(condition);
    auto const& values = column(parsed.name).values;
    std::erase_if(rows, [&](std::size_t row) { return !parsed.holds(values[row]); });
    return rows;
}

std::vector<std::size_t> EliteTable::sorted(std::vector<std::size_t> rows,
                                            std::string const& order) const
{
    bool const minus = order.starts_with('-');
    auto const colon = order.find(':');
    auto const name = order.substr(minus ? 1 : 0, colon - (minus && colon != std::string::npos));
    auto const direction = colon != std::string::npos ? order.substr(colon + 1)
                           : minus                    ? "desc"
                                                      : "";
    if (colon != std::string::npos && direction != "asc" && direction != "desc") {
        throw ConfigError{fmt::format("invalid --sort {}", order),
                          fmt::format("\"{}\" is neither asc nor desc", direction),
                          "Use for example --sort fitness:asc."};
    }
    auto const& values = column(name).values;
    bool const falls = direction.empty()
                           ? name == "fitness" || name == "novelty" || is_of_variants(name)
                           : direction == "desc";
    std::ranges::stable_sort(rows, {},
                             [&](std::size_t row) { return falls ? -values[row] : values[row]; });
    return rows;
}

std::vector<std::size_t> EliteTable::all_rows() const
{
    std::vector<std::size_t> rows(columns_.front().values.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
}

}  // namespace mees::inspect

#include "mees/inspection/detail/text_table.hpp"

#include <fmt/ostream.h>

#include <algorithm>

namespace mees::inspect {
namespace {

constexpr std::size_t gap = 2;

/// Removes the columns that do not fit and returns their names.
std::vector<std::string> drop_columns(std::vector<TextColumn>& columns, std::size_t room)
{
    std::size_t used = 0;
    std::vector<std::string> kept;
    auto const take = [&](TextColumn const& column) {
        auto const width = column.width() + (used == 0 ? 0 : gap);
        if (kept.empty() || (width <= room && used <= room - width)) {
            used += width;
            kept.push_back(column.name);
        }
    };
    auto const always = [](std::string const& name) { return name == "cell" || name == "fitness"; };
    for (bool const first : {true, false}) {
        for (auto const& column : columns) {
            if (always(column.name) == first) {
                take(column);
            }
        }
    }
    std::vector<std::string> dropped;
    std::erase_if(columns, [&](TextColumn const& column) {
        bool const drop = std::ranges::find(kept, column.name) == kept.end();
        if (drop) {
            dropped.push_back(column.name);
        }
        return drop;
    });
    return dropped;
}

}  // namespace

std::size_t TextColumn::width() const
{
    return std::ranges::max(texts, {}, &std::string::size).size();
}

std::vector<std::string> print_table(std::vector<TextColumn> columns, std::string_view start,
                                     std::size_t room, std::ostream& out)
{
    auto dropped = drop_columns(columns, room - std::min(room, start.size()));
    for (std::size_t line = 0; line < columns.front().texts.size(); ++line) {
        fmt::print(out, "{:<{}}", line == 0 ? start : "", start.size());
        for (std::size_t i = 0; i < columns.size(); ++i) {
            fmt::print(out, "{:>{}}", columns[i].texts[line],
                       columns[i].width() + (i == 0 ? 0 : gap));
        }
        out << '\n';
    }
    return dropped;
}

}  // namespace mees::inspect

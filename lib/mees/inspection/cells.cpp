#include "mees/inspection/commands.hpp"
#include "mees/inspection/detail/elite_table.hpp"
#include "mees/inspection/detail/text_table.hpp"
#include "mees/report/format.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mees::inspect {
namespace {

using Columns = std::vector<EliteColumn const*>;
using Rows = std::vector<std::size_t>;

Columns chosen_columns(EliteTable const& table, CellsOptions const& options)
{
    Columns columns;
    for (auto const& name : options.columns) {
        columns.push_back(&table.column(name));
    }
    if (!columns.empty()) {
        return columns;
    }
    bool const all = options.format != TableFormat::text;
    for (auto const& column : table.columns()) {
        if (all || !column.name.starts_with("bin_")) {
            columns.push_back(&column);
        }
    }
    return columns;
}

std::string exact(EliteColumn const& column, std::size_t row)
{
    auto const value = column.values[row];
    return column.is_integer ? fmt::format("{}", static_cast<std::int64_t>(value))
                             : fmt::format("{}", value);
}

TextColumn text_of(EliteColumn const& column, Rows const& rows, std::string const& heading)
{
    std::vector<std::string> texts;
    if (column.is_integer) {
        for (auto const row : rows) {
            texts.push_back(exact(column, row));
        }
    } else {
        std::vector<double> values;
        for (auto const row : rows) {
            values.push_back(column.values[row]);
        }
        texts = aligned_numbers(values);
    }
    texts.insert(texts.begin(), heading);
    return {column.name, std::move(texts)};
}

/// In a terminal the names of the BC are short, and columns that do not fit are left out.
void print_text(Columns const& columns, Rows const& rows, std::vector<std::string> const& bc_names,
                Terminal const& terminal, std::ostream& out)
{
    auto const shorter = short_names(bc_names);
    std::vector<TextColumn> shown;
    for (auto const* column : columns) {
        auto const found = std::ranges::find(bc_names, column->name);
        bool const shorten = terminal.interactive && found != bc_names.end();
        shown.push_back(text_of(*column, rows,
                                shorten
                                    ? shorter[static_cast<std::size_t>(found - bc_names.begin())]
                                    : escaped(column->name)));
    }
    auto const room =
        terminal.interactive ? static_cast<std::size_t>(terminal.columns) : std::string::npos;
    auto dropped = print_table(std::move(shown), "", room, out);
    if (!dropped.empty()) {
        std::ranges::transform(dropped, dropped.begin(),
                               [](auto const& name) { return escaped(name); });
        out << broken(fmt::format("not shown: {}", fmt::join(dropped, ", ")), room, 0)
            << "\n(choose with --columns, or use a wider terminal)\n";
    }
}

void print_csv(Columns const& columns, Rows const& rows, std::ostream& out)
{
    for (std::size_t i = 0; i < columns.size(); ++i) {
        out << (i == 0 ? "" : ",") << csv_field(columns[i]->name);
    }
    out << '\n';
    for (auto const row : rows) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            out << (i == 0 ? "" : ",") << exact(*columns[i], row);
        }
        out << '\n';
    }
}

void print_json(Columns const& columns, Rows const& rows, std::ostream& out)
{
    out << "[";
    for (std::size_t line = 0; line < rows.size(); ++line) {
        out << (line == 0 ? "\n  {" : ",\n  {");
        for (std::size_t i = 0; i < columns.size(); ++i) {
            fmt::print(out, "{}{}: {}", i == 0 ? "" : ", ", json_string(columns[i]->name),
                       exact(*columns[i], rows[line]));
        }
        out << '}';
    }
    out << "\n]\n";
}

}  // namespace

ExitCode cells(std::filesystem::path const& file, CellsOptions const& options,
               Terminal const& terminal, std::ostream& out)
{
    MapReader const map{file};
    EliteTable const table{map};
    auto const columns = chosen_columns(table, options);
    auto rows = table.all_rows();
    for (auto const& filter : options.filters) {
        rows = table.filtered(std::move(rows), filter);
    }
    if (!options.sort.empty()) {
        rows = table.sorted(std::move(rows), options.sort);
    }
    if (options.limit > 0 && std::ssize(rows) > options.limit) {
        rows.resize(static_cast<std::size_t>(options.limit));
    }
    switch (options.format) {
        case TableFormat::text:
            print_text(columns, rows, map.bc_names(), terminal, out);
            break;
        case TableFormat::csv:
            print_csv(columns, rows, out);
            break;
        case TableFormat::json:
            print_json(columns, rows, out);
            break;
    }
    return ExitCode::success;
}

}  // namespace mees::inspect

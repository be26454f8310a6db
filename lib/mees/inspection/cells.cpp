#include "mees/inspection/commands.hpp"
#include "mees/inspection/detail/elite_table.hpp"
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

std::string readable(EliteColumn const& column, std::size_t row)
{
    return column.is_integer ? exact(column, row) : short_number(column.values[row]);
}

void print_text(Columns const& columns, Rows const& rows, std::ostream& out)
{
    std::vector<std::vector<std::string>> texts;
    std::vector<std::size_t> widths;
    for (auto const* column : columns) {
        auto& text = texts.emplace_back(std::vector{escaped(column->name)});
        for (auto const row : rows) {
            text.push_back(readable(*column, row));
        }
        widths.push_back(std::ranges::max(text, {}, &std::string::size).size());
    }
    for (std::size_t line = 0; line <= rows.size(); ++line) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            fmt::print(out, "{}{:>{}}", i == 0 ? "" : "  ", texts[i][line], widths[i]);
        }
        out << '\n';
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

ExitCode cells(std::filesystem::path const& file, CellsOptions const& options, std::ostream& out)
{
    EliteTable const table{MapReader{file}};
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
            print_text(columns, rows, out);
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

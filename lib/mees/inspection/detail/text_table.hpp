#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace mees::inspect {

/// A column of a table in text: its heading, then its values.
struct TextColumn {
    std::string name;  ///< of the quantity; the heading may be shorter
    std::vector<std::string> texts;

    [[nodiscard]] std::size_t width() const;
};

/// Prints the columns, right-aligned; `start` precedes the heading. Columns that do not fit `room`
/// characters are left out, cell and fitness last; returns their names.
std::vector<std::string> print_table(std::vector<TextColumn> columns, std::string_view start,
                                     std::size_t room, std::ostream& out);

}  // namespace mees::inspect

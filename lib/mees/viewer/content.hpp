#pragma once

#include "mees/viewer/library.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mees::viewer {

/// The runs of a library: a list of {name, path}.
[[nodiscard]] std::string runs_json(Library const& library);

/// Everything that the page shows of a map but the controllers: run, space, cells, history, robot
/// and task. Strings of the file are JSON strings, never markup.
[[nodiscard]] std::string map_json(Library const& library, std::size_t run, OpenMap const& map);

/// A controller as bytes: observation mean and standard deviation (float64), then the parameters
/// (float32); of a chain one link after the other, each at a multiple of 8 bytes. Throws FileError
/// for a row that the map does not have.
[[nodiscard]] std::string controller_bytes(MapReader const& map, std::int64_t row);

/// The rows that `choice` names: "best:N", "all", or cell numbers joined by commas. Throws
/// ConfigError for any other string, FileError for a cell without an elite.
[[nodiscard]] std::vector<std::int64_t> choose_rows(MapReader const& map, std::string_view choice);

/// The text of the page: found next to the program, in the build folder or as installed. Throws
/// FileError if the page has not been built.
[[nodiscard]] std::string load_page();

/// The page with this map in it and the controllers of these rows: one file that needs no server.
[[nodiscard]] std::string self_contained_page(std::string page, Library const& library,
                                              std::vector<std::int64_t> const& rows);

}  // namespace mees::viewer

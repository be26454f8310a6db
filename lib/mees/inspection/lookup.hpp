#pragma once

#include "mees/config/settings.hpp"
#include "mees/qd/elite_map.hpp"
#include "mees/storage/map/file.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

/// An elite of a map file and the row it stands in.
struct StoredElite {
    std::int64_t row{0};
    CellId cell;
    Elite elite;  ///< without its controller
};

/// The elite that a user names: "best", a cell's number, or "nearest:x,y" for the one whose BC is
/// nearest, measured in shares of the map's bounds. Throws ConfigError for a text that is none of
/// these, FileError for a cell that is empty (with the nearest that are not) or does not exist.
[[nodiscard]] StoredElite choose_elite(MapReader const& map, std::string_view choice);

/// The map as it is stored, without the controllers.
[[nodiscard]] EliteMap elites_without_controllers(MapReader const& map);

/// The configuration that the map's run had. Throws FileError if this program does not understand
/// it.
[[nodiscard]] Settings stored_settings(RunInfo const& run);

/// "x 0.31, y -4.2".
[[nodiscard]] std::string describe_behaviour(std::vector<double> const& bc,
                                             std::vector<std::string> const& names);

}  // namespace mees

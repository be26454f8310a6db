#pragma once

#include "mees/config/settings.hpp"
#include "mees/qd/elite_map.hpp"
#include "mees/storage/map/file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

/// An elite of a map file and its row.
struct StoredElite {
    std::int64_t row{0};
    CellId cell;
    Elite elite;  ///< without its controller
};

/// The elite that a user names: "best", a cell's number, or "nearest:x,y" for the one whose BC is
/// nearest, relative to the map's bounds. Throws ConfigError for any other string, FileError for a
/// cell that does not exist or is empty (naming the nearest filled cells).
[[nodiscard]] StoredElite choose_elite(MapReader const& map, std::string_view choice);

/// "12,407" as cells, as they are listed; nothing for any other string.
[[nodiscard]] std::optional<std::vector<CellId>> parse_cell_list(std::string_view text);

/// The stored map, without the controllers.
[[nodiscard]] EliteMap elites_without_controllers(MapReader const& map);

/// The configuration of the map's run. Throws FileError if this program cannot read it.
[[nodiscard]] Settings stored_settings(RunInfo const& run);

}  // namespace mees

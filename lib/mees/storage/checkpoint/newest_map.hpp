#pragma once

#include "mees/storage/map/document.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mees {

/// The checkpoint that a run goes on from.
struct NewestMap {
    MapDocument document;
    std::filesystem::path path;
    /// Why newer files were passed over; empty if there was nothing to say.
    std::vector<std::string> messages;
};

/// The newest whole one of map.h5 and map.prev.h5; nothing if there is neither. Throws FileError if
/// there are such files but none can be used, or if the newest is whole but no map of this format.
[[nodiscard]] std::optional<NewestMap> load_newest_whole(std::filesystem::path const& folder);

}  // namespace mees

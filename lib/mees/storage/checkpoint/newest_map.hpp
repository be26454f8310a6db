#pragma once

#include "mees/storage/map/document.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mees {

/// The checkpoint that a run resumes from.
struct NewestMap {
    MapDocument document;
    std::filesystem::path path;
    /// Why a newer file was not used; empty if the newest one is.
    std::vector<std::string> messages;
};

/// The newest intact one of map.h5 and map.prev.h5; nothing if neither exists. Throws FileError if
/// they exist but none is usable, or if the newest is intact but not a map of this format.
[[nodiscard]] std::optional<NewestMap> load_newest_intact(std::filesystem::path const& folder);

}  // namespace mees

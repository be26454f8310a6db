#pragma once

#include <filesystem>
#include <string>

namespace mees {

inline constexpr char const* map_name = "map.h5";
inline constexpr char const* previous_map_name = "map.prev.h5";

/// A name in `folder` that no other process, host or earlier incarnation of this run uses.
[[nodiscard]] std::filesystem::path temporary_name(std::filesystem::path const& folder);

/// Removes what killed writers have left. The caller holds the folder's lock.
void remove_temporaries(std::filesystem::path const& folder);

/// Makes the whole file `fresh` the folder's map.h5, and the map.h5 of before map.prev.h5. At every
/// moment one of the two names is a whole file, map.h5 always where the file system has hard links.
/// Throws hdf5::WriteError, leaving both names as they were or one step on.
void rotate(std::filesystem::path const& fresh, std::filesystem::path const& folder);

/// Keeps the whole file `map` under another name too: a hard link, or a copy where there are none.
void keep_copy(std::filesystem::path const& map, std::filesystem::path const& kept);

}  // namespace mees

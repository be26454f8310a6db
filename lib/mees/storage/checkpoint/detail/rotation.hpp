#pragma once

#include <filesystem>
#include <functional>

namespace mees {

inline constexpr char const* map_name = "map.h5";
inline constexpr char const* previous_map_name = "map.prev.h5";
inline constexpr char const* damaged_map_name = "map.damaged.h5";
inline constexpr char const* kept_folder = "checkpoints";

/// Before map.h5, which must be intact, is replaced: makes the present map.h5, if there is one,
/// map.prev.h5 too. At every moment one of the two names is an intact file, map.h5 always where the
/// file system has hard links; elsewhere map.h5 is renamed. Throws WriteError, leaving both names
/// as they were.
void keep_previous(std::filesystem::path const& folder);

/// Keeps the intact file `map` under a second name: a hard link, or a copy where there are none.
void keep_copy(std::filesystem::path const& map, std::filesystem::path const& kept);

/// Flushes a file, renames it within its folder and flushes that. Throws WriteError;
/// `before_rename` may throw too.
void rename_file(std::filesystem::path const& from, std::filesystem::path const& to,
                 std::function<void()> const& before_rename);

}  // namespace mees

#pragma once

#include "mees/core/atomic_file.hpp"

#include <filesystem>
#include <functional>

namespace mees {

inline constexpr char const* map_name = "map.h5";
inline constexpr char const* previous_map_name = "map.prev.h5";
inline constexpr char const* damaged_map_name = "map.damaged.h5";
inline constexpr char const* kept_folder = "checkpoints";

/// Makes the present map.h5, if there is one, map.prev.h5 while map.h5 is replaced.
///
/// The constructor gives it a second, temporary name: a hard link, or a copy where there are none.
/// The caller then puts an intact file in its place and calls commit(). So map.h5 always exists,
/// and at every moment map.h5 and map.prev.h5 are two different states if they were before. Without
/// a commit map.prev.h5 stays as it was. All failures are WriteErrors.
class MapRotation {
  public:
    explicit MapRotation(std::filesystem::path const& folder);
    /// After map.h5 was replaced.
    void commit();

  private:
    std::filesystem::path target_;
    AtomicFile previous_;
    bool linked_{false};
    bool copied_{false};
};

/// Keeps the intact file `map` under a second name: a hard link, or a copy where there are none.
void keep_copy(std::filesystem::path const& map, std::filesystem::path const& kept);

/// Flushes a file, renames it within its folder and flushes that. Throws WriteError;
/// `before_rename` may throw too.
void rename_file(std::filesystem::path const& from, std::filesystem::path const& to,
                 std::function<void()> const& before_rename);

}  // namespace mees

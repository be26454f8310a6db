#pragma once

#include "mees/storage/hdf5/file.hpp"
#include "mees/storage/map/document.hpp"
#include "mees/storage/map/file.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

// Change files: a state of a run without the controllers that an earlier file has. See
// docs/map-format.md.

namespace mees {

/// The state that a change file continues: that of a map or of another change file.
struct ChangeOrigin {
    std::string id;  ///< state_id of that file
    Generation generation;
    /// Insertions into the map up to it: later elites are in the change file.
    std::int64_t insertions{0};
};

/// SHA-256 of what all files of a state, maps and change files, have in common: the digests of
/// their datasets and their attributes, without times, controllers and domain. Two states of one
/// run have different ones. Reads no values. Throws FileError.
[[nodiscard]] std::string state_id(hdf5::Reader const& file);

/// What a change file continues, as it says itself.
[[nodiscard]] ChangeOrigin origin_of(hdf5::Reader const& changes);

/// Whether the controllers of a state can be written to a change file: none of them is a chain.
[[nodiscard]] bool allows_changes(State const& state);

/// Writes a new file like write_map, of a state that allows it.
void write_changes(std::filesystem::path const& path, MapDocument const& document,
                   ChangeOrigin const& origin, std::atomic<bool> const* cancelled = nullptr);

/// The complete state of a change file that continues `before`, with the store of its map. Checks
/// everything like read_map, and that the elites which the file lacks are those of `before`, whose
/// controllers may have been dropped.
[[nodiscard]] MapDocument read_changes(std::filesystem::path const& path, MapDocument const& before,
                                       Controllers controllers = Controllers::kept);

/// Checks all that a change file contains. Throws FileError.
void check_changes(std::filesystem::path const& path);

}  // namespace mees

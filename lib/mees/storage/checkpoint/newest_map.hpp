#pragma once

#include "mees/storage/map/document.hpp"
#include "mees/storage/map/file.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mees {

/// What a checkpoint's file is: map.h5, map.prev.h5, a temporary file that a killed run completed
/// but did not rename, or a checkpoints/gen_N.h5.
enum class CheckpointFile { current, previous, temporary, kept };

/// The checkpoint that a run resumes from.
struct NewestMap {
    MapDocument document;
    std::filesystem::path path;
    CheckpointFile file{CheckpointFile::current};
    std::vector<std::filesystem::path> changes;  ///< the change files that continue it
    /// What else was found, and why it is not used; empty if map.h5 and all that continue it are.
    std::vector<std::string> messages;
    bool map_is_damaged{false};  ///< map.h5 exists and is unusable
};

/// What distinguishes a checkpoint from those of the run that is to be resumed; empty: nothing.
using RunDifferences = std::function<std::vector<std::string>(MapDocument const&)>;

/// The newest intact checkpoint of a run folder; nothing if it contains none. Changes nothing.
///
/// It is map.h5, or map.prev.h5 where that is damaged or missing, unless one of these is newer and
/// has no differences: a complete temporary file or a checkpoints/gen_N.h5. Whichever it is, the
/// change files that continue it are applied, up to the last that is intact. Throws FileError,
/// naming every file and what is wrong with it, if there are checkpoints but none is usable, and if
/// map.h5 is intact but not a map of this format. The map has the store, if there is one.
[[nodiscard]] std::optional<NewestMap> load_newest_intact(
    std::filesystem::path const& folder, RunDifferences const& differences = {},
    Controllers controllers = Controllers::kept, ParameterStorePtr store = nullptr);

/// The change files of a run folder, those that were not completed included.
[[nodiscard]] std::vector<std::filesystem::path> changes_in(std::filesystem::path const& folder);

/// The generation to which the change files of a folder lead from a map in it; that of the map if
/// none continues it. Reads no values. Throws FileError if the map cannot be read.
[[nodiscard]] Generation reachable_generation(std::filesystem::path const& folder,
                                              std::filesystem::path const& map);

/// Logs a warning if change files in the folder of a map lead to a newer state, for a program that
/// reads the map alone; says how to merge them. Reads no values. Without effect for a file that is
/// not a map.
void warn_of_newer_changes(std::filesystem::path const& map);

/// How far the change files of a folder lead from a map in it.
struct ChangesFound {
    std::int64_t files{0};  ///< that continue it and are intact
    Generation generation;  ///< that of the last one; of the map if there is none
    /// What is wrong with others that should lead further.
    std::vector<std::string> problems;
};

/// Reads those that continue a map.h5 or map.prev.h5 and checks everything; holds no controllers in
/// memory. For map.prev.h5 those are no problem that continue map.h5 only. Throws FileError if the
/// map is not intact.
[[nodiscard]] ChangesFound check_changes_of(std::filesystem::path const& map);

/// Prepares the folder for a run that resumes from this checkpoint and writes new ones: a damaged
/// map.h5 is renamed to map.damaged.h5, so that it never replaces an intact map.prev.h5, and a
/// checkpoint that has neither name becomes map.h5. At every moment, also if this is interrupted,
/// the checkpoint is found by load_newest_intact. Throws WriteError. `require_folder`, called
/// before each rename, throws if the folder is not this run's any more.
void adopt(
    std::filesystem::path const& folder, NewestMap const& newest,
    std::function<void()> const& require_folder = [] {});

}  // namespace mees

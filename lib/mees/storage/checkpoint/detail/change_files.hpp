#pragma once

#include "mees/storage/map/changes.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mees {

/// map.changes-000120.h5: the changes up to generation 120.
[[nodiscard]] std::filesystem::path changes_path(std::filesystem::path const& folder,
                                                 Generation generation);

/// The change files of a run folder by generation, ascending; links and other files that are not
/// regular are none.
[[nodiscard]] std::vector<std::pair<Generation, std::filesystem::path>> change_paths(
    std::filesystem::path const& folder);

/// The temporary files that were to become change files.
[[nodiscard]] std::vector<std::filesystem::path> change_temporaries(
    std::filesystem::path const& folder);

/// Removes the change files up to this generation.
void remove_changes(std::filesystem::path const& folder, Generation last);

/// The change files of a run folder, complete temporary ones included, and which of them continue a
/// map file. Which those are is decided by what they say they continue, never by their names.
class ChangeFiles {
  public:
    explicit ChangeFiles(std::filesystem::path const& folder);

    /// Whether there are any, usable or not.
    [[nodiscard]] bool exist() const { return !files_.empty() || !unusable_.empty(); }

    /// The generation to which they lead from this map file. Reads no values. Throws FileError if
    /// the map cannot be read.
    [[nodiscard]] Generation reach(std::filesystem::path const& map);

    /// Applies to the state that was read from this open map file all that continue it, as far as
    /// they are intact; the files that were applied.
    [[nodiscard]] std::vector<std::filesystem::path> apply(
        hdf5::Reader const& map, MapDocument& document,
        Controllers controllers = Controllers::kept);

    /// What is wrong with those beyond this generation that are damaged.
    [[nodiscard]] std::vector<std::string> damaged_after(Generation generation) const;
    /// What is wrong with those that would lead further than this generation.
    [[nodiscard]] std::vector<std::string> problems_after(Generation generation) const;

  private:
    struct File {
        std::filesystem::path path;
        Generation generation;
        std::string id;
        std::string previous;
        bool tried{false};  ///< applied, or damaged
    };

    void read(std::filesystem::path const& path, std::optional<Generation> named);
    [[nodiscard]] std::vector<File*> continuing(std::string const& id);

    std::vector<File> files_;                                   ///< by generation, descending
    std::vector<std::pair<Generation, std::string>> unusable_;  ///< and why
};

}  // namespace mees

#pragma once

#include "mees/storage/checkpoint/folder_lock.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/storage/map/document.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mees {

enum class Resume { automatic, never, require };

/// The folder of one run: created if necessary, and locked against other runs during the lifetime
/// of this object.
///
/// Removes a stop file of an earlier run. With Resume::never the files of an earlier run are moved
/// to old-N inside the folder, not deleted.
///
/// With a limit, `store` keeps parameters of elites beyond it in this folder; the map of the
/// checkpoint has it.
class RunFolder {
  public:
    /// Throws FileError, having changed nothing, if the folder is in use, cannot be written, does
    /// not contain the checkpoint that `resume` requires, or contains one with `differences`.
    RunFolder(std::filesystem::path path, Resume resume, RunDifferences const& differences = {},
              std::optional<std::int64_t> memory_limit = std::nullopt);

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    [[nodiscard]] std::filesystem::path stop_file() const { return path_ / "STOP"; }
    /// The checkpoint to resume from; empty for a new run, and after the first call.
    [[nodiscard]] std::optional<MapDocument> take_checkpoint() { return std::move(checkpoint_); }
    /// Null without a limit.
    [[nodiscard]] ParameterStorePtr const& store() const { return store_; }
    /// Whether its state is in change files and not yet in a map.
    [[nodiscard]] bool continues_changes() const { return continues_changes_; }
    /// Warnings about what was found in the folder, for the log that is yet to be opened there.
    [[nodiscard]] std::vector<std::string> const& messages() const { return messages_; }

    /// Throws FolderLost if the folder is not this run's any more.
    void require_in_place() const { lock_->require_in_place(); }

    void write_config(std::string const& toml) const;

    /// Makes the file FINISHED, on which job scripts rely, exist exactly if `finished`. To be set
    /// once the last generation is saved, and reset before a run that has more to do writes
    /// anything else.
    void mark_finished(bool finished) const;

  private:
    void resume_newest(Resume resume, RunDifferences const& differences);
    void set_aside();

    std::filesystem::path path_;
    std::unique_ptr<FolderLock> lock_;
    ParameterStorePtr store_;
    std::optional<MapDocument> checkpoint_;
    bool continues_changes_{false};
    std::vector<std::string> messages_;
};

/// runs/<config name>-seed<seed>
[[nodiscard]] std::filesystem::path default_folder(std::filesystem::path const& config,
                                                   std::int64_t seed);

/// Whether the folder has files of a run, intact or not.
[[nodiscard]] bool contains_run(std::filesystem::path const& folder);

}  // namespace mees

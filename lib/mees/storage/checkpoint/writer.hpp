#pragma once

#include "mees/config/settings.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/storage/map/document.hpp"

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace mees {

class AtomicFile;
class ChangeChain;

/// Writes the checkpoints of one run into its folder, on its own thread, while the search
/// continues.
///
/// A snapshot that arrives while another is being written waits. Of the waiting ones only the
/// newest is written, but none that is to be kept (checkpoint.keep) is dropped. A checkpoint that
/// cannot be written causes a warning, changes nothing, and is tried again at the next cadence. The
/// first checkpoint is read back before it gets its name. After a checkpoint that took longer than
/// a second the writer rests 20 times as long, unless the next is to be kept or is waited for. The
/// caller holds the folder's lock.
///
/// A checkpoint of a large map is a change file (checkpoint.changes_above_megabytes); a map.h5 of
/// the same state follows if the change files have become large, if it is to be kept, and before
/// `wait` returns. The first checkpoint is always a map.h5.
class CheckpointWriter {
  public:
    /// `require_folder` throws if the folder is not the run's any more; it is called before
    /// anything is written there, by both threads.
    CheckpointWriter(
        std::filesystem::path folder, CheckpointSettings settings,
        std::function<void()> require_folder = [] {});
    CheckpointWriter(CheckpointWriter const&) = delete;
    CheckpointWriter& operator=(CheckpointWriter const&) = delete;
    /// Waits until nothing is being written.
    ~CheckpointWriter();

    /// Throws if this run must not continue: its folder is not its own any more, or its checkpoints
    /// cannot be read back.
    void require_working() const;
    /// Whether the cadence asks for a checkpoint after this generation, counted from the last
    /// `save`.
    [[nodiscard]] bool due(Generation generation) const;
    /// Hands a snapshot to the writer and returns.
    void save(MapDocument snapshot);
    /// The run is about to end: writes the newest snapshot without a rest. An older one that is
    /// being written is dropped, if it is neither the first nor to be kept.
    void hurry();
    /// Hurries, and waits until nothing is left to write; the reason if the newest snapshot was not
    /// written.
    [[nodiscard]] std::optional<std::string> wait();
    /// The generation of the newest checkpoint that this writer has written.
    [[nodiscard]] std::optional<Generation> saved() const;
    /// Seconds of the slowest checkpoint so far, the one that is being written included.
    [[nodiscard]] double longest_seconds() const;

  private:
    /// Neither saved nor failed: dropped.
    struct Outcome {
        bool saved{false};  ///< as changes or as a map
        bool map_written{false};
        bool map_tried{false};
        std::optional<std::string> failure;
    };
    struct Snapshot {
        MapDocument document;
        bool saved_as_changes{false};
    };

    void work();
    void remove_old_temporaries(std::optional<Generation> present);
    [[nodiscard]] Outcome write(Snapshot const& snapshot);
    void write_map_file(MapDocument const& document, Outcome& outcome);
    [[nodiscard]] bool needs_map(Generation generation) const;
    [[nodiscard]] bool write_new(std::filesystem::path const& path, MapDocument const& document);
    void put_in_place(AtomicFile& map, Generation generation, Outcome& outcome);
    void verify(std::filesystem::path const& written);
    void finish(Snapshot snapshot, Outcome outcome);
    void merge_next();
    [[nodiscard]] bool is_kept(Generation generation) const;
    void rest(std::unique_lock<std::mutex>& lock);
    void report(Generation generation, Outcome const& outcome) const;

    std::filesystem::path folder_;
    CheckpointSettings settings_;
    std::function<void()> require_folder_;
    std::unique_ptr<ChangeChain> changes_;
    Stopwatch since_save_;
    Generation last_asked_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Snapshot> pending_;
    std::optional<Snapshot> unmerged_;  ///< the newest that is saved, if only as changes
    std::optional<Generation> writing_;
    std::atomic<bool> dropped_{false};  ///< the one that is being written is not needed any more
    bool ending_{false};
    bool hurried_{false};
    bool verified_{false};
    bool temporaries_removed_{false};
    std::string unreadable_;  ///< why the first checkpoint cannot be read back
    std::optional<std::string> failure_;
    std::optional<Generation> saved_;
    Stopwatch since_change_;  ///< since the last write began or ended
    double last_seconds_{0};
    double longest_seconds_{0};
    std::thread thread_;
};

}  // namespace mees

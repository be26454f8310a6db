#pragma once

#include "mees/config/settings.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/storage/map/document.hpp"

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace mees {

/// Writes the checkpoints of one run into its folder, on its own thread, while the search
/// continues.
///
/// A snapshot that arrives while another is being written waits. Of the waiting ones only the
/// newest is written, but none that is to be kept (checkpoint.keep) is dropped. A checkpoint that
/// cannot be written causes a warning, changes nothing, and is tried again at the next cadence. The
/// caller holds the folder's lock.
class CheckpointWriter {
  public:
    CheckpointWriter(std::filesystem::path folder, CheckpointSettings settings);
    CheckpointWriter(CheckpointWriter const&) = delete;
    CheckpointWriter& operator=(CheckpointWriter const&) = delete;
    /// Waits until nothing is being written.
    ~CheckpointWriter();

    /// Whether the cadence asks for a checkpoint after this generation, counted from the last
    /// `save`.
    [[nodiscard]] bool due(Generation generation) const;
    /// Hands a snapshot to the writer and returns.
    void save(MapDocument snapshot);
    /// Waits until nothing is left to write; the reason if the newest snapshot was not written.
    [[nodiscard]] std::optional<std::string> wait();
    /// The generation of the newest checkpoint that this writer has written.
    [[nodiscard]] std::optional<Generation> saved() const;

  private:
    void work();
    void write(MapDocument const& snapshot) const;
    [[nodiscard]] bool is_kept(Generation generation) const;
    void report(Generation generation, std::optional<std::string> const& failure) const;

    std::filesystem::path folder_;
    CheckpointSettings settings_;
    Stopwatch since_save_;
    Generation last_asked_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<MapDocument> pending_;
    bool writing_{false};
    bool ending_{false};
    std::optional<std::string> failure_;
    std::optional<Generation> saved_;
    std::thread thread_;
};

}  // namespace mees

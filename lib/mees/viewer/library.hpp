#pragma once

#include "mees/storage/map/file.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace mees::viewer {

/// A map file that stays open: it can be read to the end even if a run replaces it meanwhile.
struct OpenMap {
    std::string version;  ///< identifies this file among those of its run
    MapReader reader;
};
using OpenMapPtr = std::shared_ptr<OpenMap const>;

/// The maps that are shown: run folders, whose maps are replaced while the run continues, or single
/// files.
///
/// Thread-safe. Opens nothing but the given paths and, in a run folder, its map and its kept
/// checkpoints. The last versions of a map stay open, so that a page that shows an older one can
/// still ask for its controllers.
class Library {
  public:
    /// Throws FileError for a path without a usable map.
    explicit Library(std::vector<std::filesystem::path> const& paths);

    [[nodiscard]] std::size_t size() const { return runs_.size(); }
    [[nodiscard]] std::string name(std::size_t run) const { return runs_.at(run).name; }
    [[nodiscard]] std::filesystem::path const& path(std::size_t run) const
    {
        return runs_.at(run).file;
    }
    /// Whether the run has reached its last generation (false for a single file).
    [[nodiscard]] bool finished(std::size_t run) const;

    [[nodiscard]] OpenMapPtr current(std::size_t run) const;
    /// An open version, or a checkpoint, which is opened; null if there is none of that name.
    [[nodiscard]] OpenMapPtr find(std::size_t run, std::string const& version);
    /// Names of the kept checkpoints, ascending by generation.
    [[nodiscard]] std::vector<std::string> checkpoints(std::size_t run) const;

    /// Opens the maps that have been replaced since the last call; the runs whose maps are new. A
    /// file that cannot be used is left out, and the last good one stays.
    std::vector<std::size_t> refresh();

  private:
    /// Changes whenever a file is replaced.
    struct Stamp {
        std::uint64_t inode{0};
        std::int64_t modified{0};
        std::uint64_t size{0};
        friend bool operator==(Stamp const&, Stamp const&) = default;
    };
    struct Run {
        std::string name;
        std::filesystem::path file;
        std::filesystem::path folder;  ///< empty: a single file
        Stamp stamp;
        std::int64_t versions{0};
        std::vector<OpenMapPtr> open;  ///< the last one is current
        std::map<std::string, OpenMapPtr> checkpoints;
    };

    [[nodiscard]] static std::optional<Stamp> stamp_of(std::filesystem::path const& path);
    [[nodiscard]] static Run open_run(std::filesystem::path const& path);
    static void open_newest(Run& run, Stamp const& stamp);

    mutable std::mutex mutex_;
    std::vector<Run> runs_;
};

}  // namespace mees::viewer

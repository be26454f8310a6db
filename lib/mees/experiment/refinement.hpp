#pragma once

#include "mees/core/atomic_file.hpp"
#include "mees/core/stop.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/evaluation/evaluator.hpp"
#include "mees/storage/checkpoint/folder_lock.hpp"
#include "mees/storage/map/document.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace mees {

/// The cells that a user names, ascending: "empty", "filled", "all", or ids separated by commas.
/// Throws ConfigError for any other string and for more than a million cells, FileError for cells
/// that the map does not have.
[[nodiscard]] std::vector<CellId> choose_targets(EliteMap const& map, std::string_view choice);

/// Episodes of a refinement of this many cells.
[[nodiscard]] std::int64_t refinement_episodes(SearchProblem const& problem,
                                               RefinementSettings const& settings,
                                               std::int64_t cells);

/// What a refinement continues from: the stored one if the file exists, otherwise `fresh`. Throws
/// FileError, unless existing files are to be replaced, if the file is not a refinement of the same
/// map with the same settings.
[[nodiscard]] MapDocument resume_refinement(std::filesystem::path const& file, MapDocument fresh,
                                            Existing existing);

/// Refines cells of a map and saves the map that results, and how far it is, at a cadence and at
/// the end: the file is a complete map at any moment, and a refinement that continues from it is
/// bit-identical.
class RefinementRun {
  public:
    /// `document` has the map and its `refinement`. `lock` is that of `file`.
    RefinementRun(MapDocument document, SearchProblemPtr problem, std::filesystem::path file,
                  double seconds_between_saves, FolderLock const& lock);

    /// Called when a cell is done.
    using Done = std::function<void(RefinementTarget const&)>;

    /// Returns when finished or stopped, with everything saved. Throws if that is not possible.
    /// Exceptions of an evaluation propagate after the state is saved.
    void go(Evaluator& evaluator, NoiseSource& noise, StopToken& stop, Done const& done);

    [[nodiscard]] bool finished() const { return refiner_.finished(); }
    /// As it is saved.
    [[nodiscard]] MapDocument document() const;

  private:
    void loop(Evaluator& evaluator, NoiseSource& noise, StopToken& stop, Done const& done);
    void save();

    MapDocument frame_;  ///< the document without what the refiner owns
    CellRefiner refiner_;
    std::filesystem::path file_;
    double seconds_between_saves_;
    FolderLock const& lock_;
    Stopwatch since_start_;
    Stopwatch since_save_;
    double longest_save_{0};
    bool changed_{false};
};

}  // namespace mees

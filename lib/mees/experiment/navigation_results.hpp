#pragma once

#include "mees/core/atomic_file.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/storage/navigation_file.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mees {

/// The results file of mees_navigate while it grows: continues from the results in the file, lists
/// the walks that remain, and rewrites the file and its CSV whenever some are done.
///
/// Rows are in the order in which the damages were requested, then with learning before without,
/// then by seed; walks in the file that were not requested follow. So the file's content does not
/// depend on interruptions.
class NavigationResults {
  public:
    /// `fresh` is the content of a new file; its settings say whether the walks learn.
    /// Existing::keep: throws FileError if the file exists but belongs to another map, model,
    /// arena, targets or settings, or if only its CSV exists; otherwise these are replaced.
    NavigationResults(std::filesystem::path path, NavigationDocument fresh,
                      std::vector<std::string> damages, std::int64_t seeds,
                      Existing existing = Existing::keep);

    /// Walks without a result; the first damage requested is variant 0.
    [[nodiscard]] std::vector<NavigationJob> jobs() const;
    /// Saves them too. Throws if a file cannot be written.
    void add(std::vector<NavigationResult> const& results);

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    [[nodiscard]] std::filesystem::path csv_path() const;
    [[nodiscard]] NavigationDocument const& document() const { return document_; }
    [[nodiscard]] std::int64_t walks() const { return std::ssize(damages_) * seeds_; }

  private:
    std::filesystem::path path_;
    NavigationDocument document_;
    std::vector<std::string> damages_;
    std::int64_t seeds_;
    Stopwatch since_start_;
    double seconds_before_{0};
};

}  // namespace mees

#pragma once

#include "mees/adaptation/recovery_run.hpp"
#include "mees/core/atomic_file.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/storage/recovery_file.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mees {

/// The results file of mees_adapt while it grows: continues from the results in the file, lists the
/// jobs that remain, and rewrites the file and its CSV whenever a damage is done.
///
/// Rows are in the order in which the damages were requested, then by seed; damages in the file
/// that were not requested follow. So the file's content does not depend on interruptions.
class RecoveryResults {
  public:
    /// `fresh` is the content of a new file. Existing::keep: throws FileError if the file exists
    /// but belongs to another map or other settings, or if only its CSV exists; otherwise these are
    /// replaced.
    RecoveryResults(std::filesystem::path path, RecoveryDocument fresh,
                    std::vector<std::string> damages, std::int64_t seeds,
                    Existing existing = Existing::keep);

    /// Damages with seeds that have no result yet; the first damage requested is variant 1.
    [[nodiscard]] std::vector<DamageJob> jobs() const;
    /// Saves them too. Throws if a file cannot be written.
    void add(std::vector<RecoveryResult> const& results);

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    [[nodiscard]] std::filesystem::path csv_path() const;
    /// Results so far of the requested damages and seeds.
    [[nodiscard]] std::vector<RecoveryResult> results() const;
    [[nodiscard]] std::int64_t damages_done() const;
    [[nodiscard]] std::int64_t damages() const { return std::ssize(damages_); }

  private:
    void resume_from(RecoveryDocument stored);

    std::filesystem::path path_;
    RecoveryDocument document_;
    std::vector<std::string> damages_;
    std::int64_t seeds_;
    Stopwatch since_start_;
    double seconds_before_;
};

}  // namespace mees

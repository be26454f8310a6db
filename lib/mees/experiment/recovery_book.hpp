#pragma once

#include "mees/adaptation/recovery_run.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/storage/recovery_file.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mees {

/// The results file of a mees_adapt while it grows: goes on from what the file holds, knows what is
/// still to be done, and rewrites file and CSV whenever a damage is done.
///
/// Rows stand in the order in which the damages were asked for, then by seed; damages that the file
/// held but nobody asked for follow. So what the file says does not depend on interruptions.
class RecoveryBook {
  public:
    /// `begun` is the file's content if it began now. Throws FileError if the file is there but
    /// belongs to another map or other settings.
    RecoveryBook(std::filesystem::path path, RecoveryDocument begun,
                 std::vector<std::string> damages, std::int64_t seeds);

    /// Damages with seeds that have no result yet; the first damage asked for is variant 1.
    [[nodiscard]] std::vector<DamageJob> jobs() const;
    /// Throws if the file cannot be written.
    void add(std::vector<RecoveryResult> const& results);

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    [[nodiscard]] std::filesystem::path csv_path() const;
    /// Results of the damages and seeds asked for, as far as they are there.
    [[nodiscard]] std::vector<RecoveryResult> results() const;
    [[nodiscard]] std::int64_t damages_done() const;
    [[nodiscard]] std::int64_t damages() const { return std::ssize(damages_); }

  private:
    void save();

    std::filesystem::path path_;
    RecoveryDocument document_;
    std::vector<std::string> damages_;
    std::int64_t seeds_;
    Stopwatch since_start_;
    double seconds_before_;
};

}  // namespace mees

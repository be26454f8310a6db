#pragma once

#include "mees/algorithms/state.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace mees {

/// metrics.csv: a header, then a line per generation with the columns of the map file's /history,
/// the QD score's offset and the wall seconds of the generation.
///
/// Rewritten from the rows so far, so that after a resume it equals that of an uninterrupted run,
/// except for its last column. Never written through a link or into a pipe. A disk failure does not
/// end the run: it is logged once, and the missing rows are written as soon as the disk works
/// again.
class MetricsFile {
  public:
    /// `seconds` has one entry per row of `history`. `require_folder` throws if the folder is not
    /// this run's any more; it is called before the open file is changed.
    MetricsFile(std::filesystem::path path, double qd_offset,
                std::span<GenerationRecord const> history, std::span<double const> seconds,
                std::function<void()> require_folder = {});

    void append(GenerationRecord const& record, double seconds);

  private:
    void flush();
    /// The reason if the rows could not be written; "" if they were.
    [[nodiscard]] std::string write_pending() const;

    std::filesystem::path path_;
    double qd_offset_;
    std::string pending_;
    std::function<void()> require_folder_;
    std::int64_t written_{0};
    bool warned_{false};
};

/// The QD score of a row with another offset: the sum over filled cells of fitness - offset.
[[nodiscard]] inline double with_offset(GenerationRecord const& row, double offset, double other)
{
    return offset == other ? row.qd_score
                           : row.qd_score + static_cast<double>(row.coverage) * (offset - other);
}

[[nodiscard]] std::string metrics_header();
[[nodiscard]] std::string metrics_line(GenerationRecord const& record, double qd_offset,
                                       double seconds);

}  // namespace mees

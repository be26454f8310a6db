#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace mees {

/// The rows of the points nearest to a query: the nearest one, and every other that is as near but
/// for rounding, so that the caller can decide between them by its own formula.
class NearestPoints {
  public:
    /// Distances from here on change nothing.
    [[nodiscard]] double threshold() const { return threshold_; }
    void offer(std::span<double const> squared, std::int32_t const* rows)
    {
        for (std::size_t i = 0; i < squared.size(); ++i) {
            if (squared[i] < threshold_) {
                found_.push_back({squared[i], rows[i]});
                threshold_ = std::min(threshold_, squared[i] * (1 + rounding) + least);
            }
        }
    }
    void clear()
    {
        threshold_ = std::numeric_limits<double>::infinity();
        found_.clear();
    }
    /// The row with the smallest distance, the lower row at a tie; 0 without any finite distance.
    /// `distance(row)` decides, which may differ in rounding from the distance offered.
    template <class Distance>
    [[nodiscard]] std::int64_t best(Distance const& distance) const
    {
        auto smallest = std::numeric_limits<double>::infinity();
        std::int64_t row = 0;
        for (auto const& candidate : found_) {
            if (candidate.squared < threshold_) {
                double const value = distance(candidate.row);
                if (value < smallest || (value == smallest && candidate.row < row)) {
                    smallest = value;
                    row = candidate.row;
                }
            }
        }
        return row;
    }

  private:
    struct Candidate {
        double squared;
        std::int32_t row;
    };

    /// More than sums of squares of coordinates can differ by when they are rounded otherwise, in
    /// proportion and, next to 0, in units of a box of size 1.
    static constexpr double rounding = 1e-9;
    static constexpr double least = 1e-24;

    double threshold_{std::numeric_limits<double>::infinity()};
    std::vector<Candidate> found_;
};

}  // namespace mees

#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace mees {

/// The k smallest of the values offered, ascending. The order in which they were offered leaves no
/// trace.
class KSmallest {
  public:
    explicit KSmallest(std::int64_t k) : limit_{static_cast<std::size_t>(k)}
    {
        values_.reserve(limit_);
    }

    /// Values from here on change nothing.
    [[nodiscard]] double threshold() const { return threshold_; }
    void offer(double value)
    {
        if (!(value < threshold_)) {
            return;
        }
        if (values_.size() < limit_) {
            values_.push_back(value);
        }
        auto place = values_.size() - 1;
        for (; place > 0 && values_[place - 1] > value; --place) {
            values_[place] = values_[place - 1];
        }
        values_[place] = value;
        if (values_.size() == limit_) {
            threshold_ = values_.back();
        }
    }
    void offer(std::span<double const> values)
    {
        for (double const value : values) {
            offer(value);
        }
    }
    void clear()
    {
        values_.clear();
        threshold_ = std::numeric_limits<double>::infinity();
    }
    [[nodiscard]] std::vector<double> const& values() const { return values_; }

  private:
    std::size_t limit_;
    double threshold_{std::numeric_limits<double>::infinity()};
    std::vector<double> values_;
};

}  // namespace mees

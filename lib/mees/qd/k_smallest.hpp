#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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
    [[nodiscard]] double threshold() const
    {
        return values_.size() < limit_ ? std::numeric_limits<double>::infinity() : values_.back();
    }
    void offer(double value)
    {
        if (value >= threshold()) {
            return;
        }
        if (values_.size() == limit_) {
            values_.pop_back();
        }
        values_.insert(std::ranges::upper_bound(values_, value), value);
    }
    void clear() { values_.clear(); }
    [[nodiscard]] std::vector<double> const& values() const { return values_; }

  private:
    std::size_t limit_;
    std::vector<double> values_;
};

}  // namespace mees

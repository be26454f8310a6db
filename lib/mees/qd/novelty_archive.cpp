#include "mees/qd/novelty_archive.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mees {
namespace {

/// The k smallest values seen so far, ascending.
class Smallest {
  public:
    explicit Smallest(std::int64_t k) : limit_{static_cast<std::size_t>(k)} { values_.reserve(limit_); }

    [[nodiscard]] double largest() const
    {
        return values_.size() < limit_ ? std::numeric_limits<double>::infinity() : values_.back();
    }
    void offer(double value)
    {
        if (value >= largest()) {
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

double mean_of(std::vector<double> const& squared_distances, NoveltyMetric metric)
{
    if (squared_distances.empty()) {
        return 0;
    }
    double sum = 0;
    for (double const squared : squared_distances) {
        sum += metric == NoveltyMetric::squared ? squared : std::sqrt(squared);
    }
    return sum / static_cast<double>(squared_distances.size());
}

}  // namespace

NoveltyArchive::NoveltyArchive(std::int64_t dimensions, NoveltySettings settings)
    : dimensions_{dimensions}, settings_{settings}
{
    expects(dimensions > 0 && settings.k > 0, "dimensions and neighbours");
}

void NoveltyArchive::add(std::span<double const> bc)
{
    expects(static_cast<std::int64_t>(bc.size()) == dimensions_, "a BC of the archive's dimensions");
    points_.insert(points_.end(), bc.begin(), bc.end());
    ++count_;
}

std::span<double const> NoveltyArchive::entry(std::int64_t index) const
{
    return std::span{points_}.subspan(static_cast<std::size_t>(index * dimensions_),
                                      static_cast<std::size_t>(dimensions_));
}

double NoveltyArchive::novelty(std::span<double const> bc, std::optional<std::int64_t> left_out) const
{
    Smallest nearest{settings_.k};
    for (std::int64_t i = 0; i < count_; ++i) {
        if (left_out == i) {
            continue;
        }
        double squared = 0;
        for (std::int64_t axis = 0; axis < dimensions_; ++axis) {
            double const difference = bc[static_cast<std::size_t>(axis)]
                                      - points_[static_cast<std::size_t>(i * dimensions_ + axis)];
            squared += difference * difference;
        }
        nearest.offer(squared);
    }
    return mean_of(nearest.values(), settings_.metric);
}

std::vector<double> NoveltyArchive::novelties(std::span<double const> bcs) const
{
    auto const size = static_cast<std::size_t>(dimensions_);
    std::vector<double> result(bcs.size() / size);
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = novelty(bcs.subspan(i * size, size));
    }
    return result;
}

}  // namespace mees

#include "mees/qd/centroids.hpp"

#include "mees/core/error.hpp"
#include "mees/core/stream.hpp"
#include "mees/qd/novelty_archive.hpp"

#include <limits>

namespace mees {
namespace {

constexpr int iterations = 30;

/// Points in the unit cube, row-major.
struct Points {
    std::size_t dimensions;
    std::vector<double> values;

    [[nodiscard]] std::size_t count() const { return values.size() / dimensions; }
    [[nodiscard]] std::span<double const> row(std::size_t i) const
    {
        return std::span{values}.subspan(i * dimensions, dimensions);
    }
};

std::size_t nearest(Points const& centroids, std::span<double const> point)
{
    std::size_t best = 0;
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < centroids.count(); ++i) {
        double const distance = squared_distance(centroids.row(i), point);
        if (distance < smallest) {
            smallest = distance;
            best = i;
        }
    }
    return best;
}

/// Moves each centroid to the mean of the samples nearest to it; one without samples stays.
void improve(Points& centroids, Points const& samples)
{
    std::vector<double> sums(centroids.values.size(), 0.0);
    std::vector<double> counts(centroids.count(), 0.0);
    for (std::size_t i = 0; i < samples.count(); ++i) {
        auto const cell = nearest(centroids, samples.row(i));
        counts[cell] += 1;
        for (std::size_t axis = 0; axis < samples.dimensions; ++axis) {
            sums[cell * samples.dimensions + axis] += samples.row(i)[axis];
        }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        auto const count = counts[i / samples.dimensions];
        if (count > 0) {
            centroids.values[i] = sums[i] / count;
        }
    }
}

}  // namespace

std::vector<double> lloyd_centroids(LloydSettings const& settings, std::span<double const> lower,
                                    std::span<double const> upper)
{
    expects(settings.cells > 0 && settings.samples >= settings.cells, "more samples than cells");
    auto const dimensions = static_cast<std::int64_t>(lower.size());
    Points samples{lower.size(), {}};
    Stream stream{settings.seed, Purpose::centroids, Generation{0}};
    for (std::int64_t i = 0; i < settings.samples * dimensions; ++i) {
        samples.values.push_back(stream.uniform());
    }
    Points centroids{
        lower.size(),
        {samples.values.begin(), samples.values.begin() + settings.cells * dimensions}};
    for (int i = 0; i < iterations; ++i) {
        improve(centroids, samples);
    }
    for (std::size_t i = 0; i < centroids.values.size(); ++i) {
        auto const axis = i % lower.size();
        centroids.values[i] = lower[axis] + centroids.values[i] * (upper[axis] - lower[axis]);
    }
    return centroids.values;
}

}  // namespace mees

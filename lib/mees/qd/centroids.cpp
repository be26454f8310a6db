#include "mees/qd/centroids.hpp"

#include "mees/core/error.hpp"
#include "mees/core/stream.hpp"
#include "mees/qd/neighbour_tree.hpp"
#include "mees/qd/novelty_archive.hpp"

#include <algorithm>
#include <thread>

namespace mees {
namespace {

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

/// Per sample the nearest centroid, the first of them at a tie.
std::vector<std::size_t> assign(Points const& samples, Points const& centroids, unsigned threads)
{
    NeighbourTree const tree{centroids.values, static_cast<std::int64_t>(centroids.dimensions)};
    std::vector<std::size_t> cells(samples.count());
    auto const workers = std::max<std::size_t>(threads, 1);
    std::vector<std::jthread> pool;
    for (std::size_t worker = 0; worker < workers; ++worker) {
        pool.emplace_back([&, worker] {
            NearestPoints nearest;
            for (auto i = cells.size() * worker / workers;
                 i < cells.size() * (worker + 1) / workers; ++i) {
                nearest.clear();
                tree.search(samples.row(i), nearest);
                cells[i] = static_cast<std::size_t>(nearest.best([&](std::int64_t row) {
                    return squared_distance(centroids.row(static_cast<std::size_t>(row)),
                                            samples.row(i));
                }));
            }
        });
    }
    return (pool.clear(), cells);
}

/// Moves each centroid to the mean of the samples nearest to it; one without samples stays.
void improve(Points& centroids, Points const& samples, unsigned threads)
{
    auto const cells = assign(samples, centroids, threads);
    std::vector<double> sums(centroids.values.size(), 0.0);
    std::vector<double> counts(centroids.count(), 0.0);
    for (std::size_t i = 0; i < samples.count(); ++i) {
        counts[cells[i]] += 1;
        for (std::size_t axis = 0; axis < samples.dimensions; ++axis) {
            sums[cells[i] * samples.dimensions + axis] += samples.row(i)[axis];
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
                                    std::span<double const> upper,
                                    std::function<void(int)> const& progress)
{
    expects(settings.cells > 0 && settings.samples >= settings.cells, "more samples than cells");
    auto const dimensions = static_cast<std::int64_t>(lower.size());
    Points samples{lower.size(), {}};
    Stream stream{settings.seed, Purpose::centroids, Generation{0}};
    auto const drawn = settings.iterations > 0 ? settings.samples : settings.cells;
    for (std::int64_t i = 0; i < drawn * dimensions; ++i) {
        samples.values.push_back(stream.uniform());
    }
    Points centroids{
        lower.size(),
        {samples.values.begin(), samples.values.begin() + settings.cells * dimensions}};
    for (int i = 0; i < settings.iterations; ++i) {
        improve(centroids, samples, settings.threads);
        if (progress) {
            progress(i + 1);
        }
    }
    for (std::size_t i = 0; i < centroids.values.size(); ++i) {
        auto const axis = i % lower.size();
        centroids.values[i] = lower[axis] + centroids.values[i] * (upper[axis] - lower[axis]);
    }
    return centroids.values;
}

}  // namespace mees

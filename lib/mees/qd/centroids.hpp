#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mees {

struct LloydSettings {
    std::int64_t cells{1000};
    std::int64_t samples{50'000};
    std::uint64_t seed{1};
    int iterations{30};  ///< 0: the first points drawn
    unsigned threads{1};
};

/// Centroids of a centroidal Voronoi tessellation of a box (Vassiliades, Chatzilygeroudis and
/// Mouret 2018): Lloyd's algorithm on points drawn uniformly. Row-major, cells x dimensions; the
/// same for the same settings, whatever the number of threads. `progress` is called with the number
/// of iterations made so far.
[[nodiscard]] std::vector<double> lloyd_centroids(LloydSettings const& settings,
                                                  std::span<double const> lower,
                                                  std::span<double const> upper,
                                                  std::function<void(int)> const& progress = {});

}  // namespace mees

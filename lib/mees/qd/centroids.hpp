#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mees {

struct LloydSettings {
    std::int64_t cells{1000};
    std::int64_t samples{50'000};
    std::uint64_t seed{1};
};

/// Centroids of a centroidal Voronoi tessellation of a box (Vassiliades, Chatzilygeroudis and
/// Mouret 2018): Lloyd's algorithm on points drawn uniformly. Row-major, cells x dimensions; the
/// same for the same settings.
[[nodiscard]] std::vector<double> lloyd_centroids(LloydSettings const& settings,
                                                  std::span<double const> lower,
                                                  std::span<double const> upper);

}  // namespace mees

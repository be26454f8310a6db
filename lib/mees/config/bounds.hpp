#pragma once

#include <cstddef>
#include <cstdint>

/// Bounds that the reader of configurations and the reader of maps share: what a configuration may
/// ask for can be read back from a map.
namespace mees::bounds {

inline constexpr std::size_t hidden_layers = 62;
inline constexpr std::size_t layers = hidden_layers + 2;  ///< of a map; inputs and outputs count
inline constexpr std::int64_t layer_size = 16'777'216;    ///< of a map; a configuration allows less

inline constexpr std::int64_t chain_links = 1000;

/// A fitness or BC beyond this counts as diverged, and a qd_offset beyond it is rejected: sums and
/// squares of those below stay finite, whatever the number of episodes and cells.
inline constexpr double largest_outcome = 1e100;

}  // namespace mees::bounds

#pragma once

#include "mees/cluster/runtime.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace mees {

/// The noise table in memory that all ranks of a node share: one copy per node, filled by the
/// node's ranks together.
///
/// Collective to make and to destroy. Throws ClusterError if the node's shared memory is too small,
/// saying how much is needed.
class SharedNoiseTable {
  public:
    SharedNoiseTable(ClusterRuntime& runtime, std::int64_t size, std::uint64_t seed);
    ~SharedNoiseTable();
    SharedNoiseTable(SharedNoiseTable const&) = delete;
    SharedNoiseTable& operator=(SharedNoiseTable const&) = delete;

    [[nodiscard]] std::span<float const> values() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mees

#include "mees/cluster/shared_noise_table.hpp"

#include "mees/cluster/noise_sum.hpp"
#include "mees/cluster/runtime_impl.hpp"
#include "mees/cluster/shared_memory.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/es/gradient.hpp"
#include "mees/rollout/thread_evaluator.hpp"
#include "mees/rollout/thread_noise.hpp"

namespace mees {
namespace {

/// Fewer multiplications than this are computed faster on rank 0 alone.
constexpr double worth_sharing = 1e6;

}  // namespace

SharedNoiseTable::SharedNoiseTable(ClusterRuntime& runtime, std::int64_t size, std::uint64_t seed,
                                   unsigned threads)
    : runtime_{runtime}, threads_{thread_count(threads)}
{
    if (runtime.size() == 1) {
        own_ = make_noise_table(size, seed, threads_);
        values_ = own_;
        return;
    }
    auto& cluster = runtime.impl();
    auto const bytes = size * static_cast<std::int64_t>(sizeof(float));
    if (cluster.topology.is_leader()) {
        require_shared_memory(bytes, "the noise table");
    }
    runtime.meet();
    auto const& memory = cluster.kept.emplace_back(cluster.node, bytes);
    std::span const values{reinterpret_cast<float*>(memory.bytes().data()),
                           static_cast<std::size_t>(size)};
    auto const blocks = noise_blocks(size);
    auto const rank = cluster.topology.node_rank;
    auto const ranks = cluster.topology.node_size;
    fill_noise(values, seed, blocks * rank / ranks, blocks * (rank + 1) / ranks);
    memory.synchronise();
    runtime.meet();
    memory.synchronise();
    values_ = values;
}

Eigen::VectorXf SharedNoiseTable::weighted_sum(std::span<NoiseOffset const> offsets,
                                               std::span<float const> weights, std::int64_t size)
{
    if (runtime_.size() == 1) {
        return ThreadNoise{values_, threads_}.weighted_sum(offsets, weights, size);
    }
    expects(offsets.size() == weights.size(), "one weight per slice");
    for (auto const offset : offsets) {
        expects(offset.value() >= 0
                    && offset.value() + size <= static_cast<std::int64_t>(values_.size()),
                "noise slices within the table");
    }
    auto& cluster = runtime_.impl();
    Stopwatch watch;
    Eigen::VectorXf sums(size);
    if (static_cast<double>(size) * static_cast<double>(offsets.size()) < worth_sharing) {
        sum_weighted_noise(values_, offsets, weights, 0,
                           {sums.data(), static_cast<std::size_t>(size)});
    } else {
        sums = sum_noise_together(cluster, values_, offsets, weights, size);
    }
    cluster.timing.summing += watch.seconds();
    return sums;
}

}  // namespace mees

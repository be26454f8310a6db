#include "mees/cluster/shared_noise_table.hpp"

#include "mees/cluster/detail/noise_sum.hpp"
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
    auto& ranks = runtime.ranks();
    auto const& topology = ranks.topology();
    auto const bytes = size * static_cast<std::int64_t>(sizeof(float));
    if (topology.is_leader()) {
        require_shared_memory(bytes, "the noise table");
    }
    runtime.barrier();
    auto const& memory = ranks.share(bytes);
    std::span const values{reinterpret_cast<float*>(memory.bytes().data()),
                           static_cast<std::size_t>(size)};
    auto const blocks = noise_blocks(size);
    fill_noise(values, seed, blocks * topology.node_rank / topology.node_size,
               blocks * (topology.node_rank + 1) / topology.node_size);
    memory.synchronise();
    runtime.barrier();
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
    auto& ranks = runtime_.ranks();
    Stopwatch watch;
    Eigen::VectorXf sums(size);
    if (static_cast<double>(size) * static_cast<double>(offsets.size()) < worth_sharing) {
        sum_weighted_noise(values_, offsets, weights, 0,
                           {sums.data(), static_cast<std::size_t>(size)});
    } else {
        sums = sum_noise_together(ranks, values_, offsets, weights, size);
    }
    ranks.timing.summing += watch.seconds();
    return sums;
}

}  // namespace mees

#include "mees/cluster/shared_noise_table.hpp"

#include "mees/cluster/codec.hpp"
#include "mees/cluster/detail/shared_novelties.hpp"
#include "mees/cluster/detail/shared_work.hpp"
#include "mees/core/log.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/es/gradient.hpp"
#include "mees/rollout/threads.hpp"

namespace mees {
namespace {

/// Less than this is computed faster on rank 0 alone.
constexpr double multiplications_worth_sharing = 1e6;
constexpr std::int64_t novelties_worth_sharing = 1000;

void sum_own_part(Ranks& ranks, std::span<float const> noise)
{
    ByteReader reader{ranks.channel().payload()};
    auto const offsets = reader.get_all<NoiseOffset>();
    auto const weights = reader.get_all<float>();
    auto const sums = shared_values<float>(ranks);
    auto const part = part_of(sums, ranks.topology().place(), 1, ranks.topology());
    sum_weighted_noise(noise, offsets, weights, part.data() - sums.data(), part);
}

/// Lets every rank sum its part of the parameters and joins the parts. Element j of the result is
/// summed by one rank, in index order: the split changes no bit.
void sum_noise_together(Ranks& ranks, std::span<float const> noise,
                        std::span<NoiseOffset const> offsets, std::span<float const> weights,
                        std::span<float> sums)
{
    ByteCounter counter;
    counter.put_all(offsets);
    counter.put_all(weights);
    auto& channel = ranks.channel();
    ByteWriter writer{channel.prepare(static_cast<std::int64_t>(counter.count()),
                                      static_cast<std::int64_t>(sums.size_bytes()))};
    writer.put_all(offsets);
    writer.put_all(weights);
    channel.send_prepared(CommandKind::sum_noise);
    sum_own_part(ranks, noise);
    join_parts(ranks, sums);
}

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
    Eigen::VectorXf result(size);
    std::span const sums{result.data(), static_cast<std::size_t>(size)};
    if (ranks.gave_up()
        || static_cast<double>(size) * static_cast<double>(offsets.size())
               < multiplications_worth_sharing) {
        sum_weighted_noise(values_, offsets, weights, 0, sums);
        ranks.timing.summing += watch.seconds();
        return result;
    }
    try {
        sum_noise_together(ranks, values_, offsets, weights, sums);
    } catch (std::exception const& error) {
        // In the midst of an update: complete it, so that its state can be saved. Parts of other
        // nodes may still arrive in `result`.
        log::warning("rank 0 adds up the noise alone: {}", error.what());
        ranks.give_up(std::current_exception());
        abandoned_sums_ = std::move(result);
        result = Eigen::VectorXf(size);
        sum_weighted_noise(values_, offsets, weights, 0, {result.data(), sums.size()});
    }
    ranks.timing.summing += watch.seconds();
    return result;
}

std::vector<double> SharedNoiseTable::novelties(NoveltyArchive const& archive,
                                                std::span<double const> bcs)
{
    auto const count = std::ssize(bcs) / archive.dimensions();
    if (runtime_.size() == 1 || archive.size() == 0 || count < novelties_worth_sharing
        || runtime_.ranks().gave_up()) {
        return archive.novelties(bcs);
    }
    auto& ranks = runtime_.ranks();
    Stopwatch watch;
    std::vector<double> result(static_cast<std::size_t>(count));
    try {
        find_novelties_together(ranks, archive, bcs, result);
    } catch (std::exception const& error) {
        log::warning("rank 0 computes novelties alone: {}", error.what());
        ranks.give_up(std::current_exception());
        abandoned_novelties_ = std::move(result);
        result = archive.novelties(bcs);
    }
    ranks.timing.comparing += watch.seconds();
    return result;
}

void sum_noise_part(Ranks& ranks, std::span<float const> noise)
{
    sum_own_part(ranks, noise);
    hand_in_part<float>(ranks);
}

}  // namespace mees

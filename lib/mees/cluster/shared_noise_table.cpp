#include "mees/cluster/shared_noise_table.hpp"

#include "mees/cluster/codec.hpp"
#include "mees/cluster/detail/ranks.hpp"
#include "mees/core/log.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/es/gradient.hpp"
#include "mees/rollout/threads.hpp"

namespace mees {
namespace {

/// Fewer multiplications than this are computed faster on rank 0 alone.
constexpr double worth_sharing = 1e6;

/// The part of the sums that the `count` ranks from place `first` on compute.
std::span<float> part_of(std::span<float> sums, int first, int count, Topology const& topology)
{
    auto const begin = std::ssize(sums) * first / topology.size;
    auto const end = std::ssize(sums) * (first + count) / topology.size;
    return sums.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

std::span<float> part_of_node(std::span<float> sums, Topology const& topology)
{
    return part_of(sums, topology.first_place, topology.node_size, topology);
}

std::span<float> result_floats(CommandChannel const& channel)
{
    auto const bytes = channel.results();
    return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

void sum_own_part(Ranks& ranks, std::span<float const> noise)
{
    ByteReader reader{ranks.channel().payload()};
    auto const offsets = reader.get_all<NoiseOffset>();
    auto const weights = reader.get_all<float>();
    auto const sums = result_floats(ranks.channel());
    auto const part = part_of(sums, ranks.topology().place(), 1, ranks.topology());
    sum_weighted_noise(noise, offsets, weights, part.data() - sums.data(), part);
}

/// Receives the other nodes' parts directly into `sums`.
void collect_nodes(Ranks& ranks, std::span<float> sums)
{
    std::vector<MPI_Request> requests;
    int first = ranks.topology().node_size;
    for (auto const& leader : ranks.infos()) {
        if (!leader.leads_node || leader.rank == 0) {
            continue;
        }
        auto const part = part_of(sums, first, leader.node_size, ranks.topology());
        first += leader.node_size;
        requests.push_back(start_receive(leader.rank, Tag::sum, std::as_writable_bytes(part)));
    }
    for (auto& request : requests) {
        await(request, ranks.wait_policy(), "collecting sums", [&] { ranks.tend(); });
    }
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
    channel.await_node();
    std::ranges::copy(part_of_node(result_floats(channel), ranks.topology()),
                      part_of_node(sums, ranks.topology()).begin());
    collect_nodes(ranks, sums);
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
        || static_cast<double>(size) * static_cast<double>(offsets.size()) < worth_sharing) {
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
        abandoned_ = std::move(result);
        result = Eigen::VectorXf(size);
        sum_weighted_noise(values_, offsets, weights, 0, {result.data(), sums.size()});
    }
    ranks.timing.summing += watch.seconds();
    return result;
}

void sum_noise_part(Ranks& ranks, std::span<float const> noise)
{
    auto& channel = ranks.channel();
    sum_own_part(ranks, noise);
    channel.finished();
    if (ranks.topology().is_leader()) {
        channel.await_node();
        auto const part = part_of_node(result_floats(channel), ranks.topology());
        send_large(0, Tag::sum, std::as_bytes(part), ranks.wait_policy(), [&] { ranks.poll(); });
    }
}

}  // namespace mees

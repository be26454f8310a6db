#include "mees/cluster/detail/noise_sum.hpp"

#include "mees/cluster/codec.hpp"
#include "mees/core/error.hpp"
#include "mees/es/gradient.hpp"

#include <utility>

namespace mees {
namespace {

struct Range {
    std::int64_t begin;
    std::int64_t end;
    [[nodiscard]] std::size_t length() const { return static_cast<std::size_t>(end - begin); }
};

/// Parameters of the ranks at places first .. last - 1.
Range share(std::int64_t parameters, int first, int last, int places)
{
    return {parameters * first / places, parameters * last / places};
}

Range share_of_node(std::int64_t parameters, Topology const& topology)
{
    return share(parameters, topology.first_place, topology.first_place + topology.node_size,
                 topology.size);
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
    auto const place = ranks.topology().place();
    auto const part =
        share(static_cast<std::int64_t>(sums.size()), place, place + 1, ranks.topology().size);
    sum_weighted_noise(noise, offsets, weights, part.begin,
                       sums.subspan(static_cast<std::size_t>(part.begin), part.length()));
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
        auto const part = share(static_cast<std::int64_t>(sums.size()), first,
                                first + leader.node_size, ranks.topology().size);
        first += leader.node_size;
        requests.push_back(
            start_receive(leader.rank, Tag::sum,
                          std::as_writable_bytes(
                              sums.subspan(static_cast<std::size_t>(part.begin), part.length()))));
    }
    for (auto& request : requests) {
        await(request, ranks.wait_policy(), "collecting sums");
    }
}

}  // namespace

Eigen::VectorXf sum_noise_together(Ranks& ranks, std::span<float const> noise,
                                   std::span<NoiseOffset const> offsets,
                                   std::span<float const> weights, std::int64_t size)
{
    ByteCounter counter;
    counter.put_all(offsets);
    counter.put_all(weights);
    auto& channel = ranks.channel();
    ByteWriter writer{channel.prepare(static_cast<std::int64_t>(counter.count()),
                                      size * static_cast<std::int64_t>(sizeof(float)))};
    writer.put_all(offsets);
    writer.put_all(weights);
    channel.send_prepared(CommandKind::sum_noise);
    sum_own_part(ranks, noise);
    channel.await_node();
    Eigen::VectorXf result(size);
    auto const own = share_of_node(size, ranks.topology());
    auto const sums = result_floats(channel);
    std::copy_n(sums.begin() + own.begin, own.length(), result.data() + own.begin);
    collect_nodes(ranks, {result.data(), static_cast<std::size_t>(size)});
    return result;
}

void sum_noise_part(Ranks& ranks, std::span<float const> noise)
{
    auto& channel = ranks.channel();
    sum_own_part(ranks, noise);
    channel.finished();
    if (!ranks.topology().is_leader()) {
        return;
    }
    channel.await_node();
    auto const sums = result_floats(channel);
    auto const part = share_of_node(static_cast<std::int64_t>(sums.size()), ranks.topology());
    send_large(0, Tag::sum,
               std::as_bytes(sums.subspan(static_cast<std::size_t>(part.begin), part.length())),
               ranks.wait_policy());
}

}  // namespace mees

#include "mees/cluster/noise_sum.hpp"

#include "mees/cluster/bytes.hpp"
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

std::span<float> answer_floats(CommandChannel const& channel)
{
    auto const bytes = channel.answers();
    return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

void sum_own_part(ClusterRuntime::Impl& runtime, std::span<float const> noise)
{
    ByteReader reader{runtime.channel->payload()};
    auto const offsets = reader.get_all<NoiseOffset>();
    auto const weights = reader.get_all<float>();
    auto const sums = answer_floats(*runtime.channel);
    auto const place = runtime.topology.place();
    auto const part =
        share(static_cast<std::int64_t>(sums.size()), place, place + 1, runtime.topology.size);
    sum_weighted_noise(noise, offsets, weights, part.begin,
                       sums.subspan(static_cast<std::size_t>(part.begin), part.length()));
}

/// Receives the other nodes' parts straight into their places.
void collect_nodes(ClusterRuntime::Impl& runtime, std::span<float> sums)
{
    std::vector<MPI_Request> requests;
    int first = runtime.topology.node_size;
    for (auto const& leader : runtime.introductions) {
        if (!leader.leads_node || leader.rank == 0) {
            continue;
        }
        auto const part = share(static_cast<std::int64_t>(sums.size()), first,
                                first + leader.node_size, runtime.topology.size);
        first += leader.node_size;
        auto& request = requests.emplace_back(MPI_REQUEST_NULL);
        check_mpi(MPI_Irecv(sums.data() + part.begin, static_cast<int>(part.length()), MPI_FLOAT,
                            leader.rank, static_cast<int>(Tag::part), MPI_COMM_WORLD, &request),
                  "collecting sums");
    }
    for (auto& request : requests) {
        runtime.complete(request);
    }
}

}  // namespace

Eigen::VectorXf sum_noise_together(ClusterRuntime::Impl& runtime, std::span<float const> noise,
                                   std::span<NoiseOffset const> offsets,
                                   std::span<float const> weights, std::int64_t size)
{
    ByteCounter counter;
    counter.put_all(offsets);
    counter.put_all(weights);
    auto& channel = *runtime.channel;
    ByteWriter writer{channel.prepare(static_cast<std::int64_t>(counter.count()),
                                      size * static_cast<std::int64_t>(sizeof(float)))};
    writer.put_all(offsets);
    writer.put_all(weights);
    channel.send(CommandKind::sum_noise);
    sum_own_part(runtime, noise);
    channel.await_node();
    Eigen::VectorXf result(size);
    auto const own = share_of_node(size, runtime.topology);
    auto const sums = answer_floats(channel);
    std::copy_n(sums.begin() + own.begin, own.length(), result.data() + own.begin);
    collect_nodes(runtime, {result.data(), static_cast<std::size_t>(size)});
    return result;
}

void sum_noise_part(ClusterRuntime::Impl& runtime, std::span<float const> noise)
{
    auto& channel = *runtime.channel;
    sum_own_part(runtime, noise);
    channel.finished();
    if (!runtime.topology.is_leader()) {
        return;
    }
    channel.await_node();
    auto const sums = answer_floats(channel);
    auto const part = share_of_node(static_cast<std::int64_t>(sums.size()), runtime.topology);
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Isend(sums.data() + part.begin, static_cast<int>(part.length()), MPI_FLOAT, 0,
                        static_cast<int>(Tag::part), MPI_COMM_WORLD, &request),
              "sending sums");
    runtime.complete(request);
}

}  // namespace mees

#pragma once

#include "mees/cluster/detail/ranks.hpp"

#include <cstddef>
#include <span>

namespace mees {

// Work on a row of values that all ranks share: the rank with the p-th place computes the p-th part
// of them, in memory that its node shares, and rank 0 joins the parts. Each value is computed by
// one rank, so the split changes no bit.

/// The part that the `count` ranks from place `first` on compute.
template <class Value>
[[nodiscard]] std::span<Value> part_of(std::span<Value> values, int first, int count,
                                       Topology const& topology)
{
    auto const begin = std::ssize(values) * first / topology.size;
    auto const end = std::ssize(values) * (first + count) / topology.size;
    return values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

template <class Value>
[[nodiscard]] std::span<Value> part_of_node(std::span<Value> values, Topology const& topology)
{
    return part_of(values, topology.first_place, topology.node_size, topology);
}

/// All values of the current command, in this node's memory.
template <class Value>
[[nodiscard]] std::span<Value> shared_values(Ranks& ranks)
{
    auto const bytes = ranks.channel().results();
    return {reinterpret_cast<Value*>(bytes.data()), bytes.size() / sizeof(Value)};
}

/// Rank 0, after its own part: waits for the others' and joins all of them in `values`.
template <class Value>
void join_parts(Ranks& ranks, std::span<Value> values)
{
    auto const& topology = ranks.topology();
    ranks.channel().await_node();
    std::ranges::copy(part_of_node(shared_values<Value>(ranks), topology),
                      part_of_node(values, topology).begin());
    std::vector<MPI_Request> requests;
    int first = topology.node_size;
    for (auto const& leader : ranks.infos()) {
        if (!leader.leads_node || leader.rank == 0) {
            continue;
        }
        auto const part = part_of(values, first, leader.node_size, topology);
        first += leader.node_size;
        requests.push_back(start_receive(leader.rank, Tag::part, std::as_writable_bytes(part)));
    }
    for (auto& request : requests) {
        await(request, ranks.wait_policy(), "collecting parts", [&] { ranks.tend(); });
    }
}

/// Others, after their own part: ends the command; a leader sends its node's part to rank 0.
template <class Value>
void hand_in_part(Ranks& ranks)
{
    auto& channel = ranks.channel();
    channel.finished();
    if (ranks.topology().is_leader()) {
        channel.await_node();
        auto const part = part_of_node(shared_values<Value>(ranks), ranks.topology());
        send_large(0, Tag::part, std::as_bytes(part), ranks.wait_policy(), [&] { ranks.poll(); });
    }
}

}  // namespace mees

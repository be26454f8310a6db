#pragma once

#include "mees/cluster/detail/waiting.hpp"
#include "mees/core/error.hpp"

// Only this module includes mpi.h, and only through this header.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>

namespace mees {

/// Kinds of messages between rank 0 (or its node) and one other rank.
enum class Tag : int {
    rank_info = 1,  ///< a worker: its RankInfo
    answer,         ///< rank 0: an Answer
    report,         ///< a worker: a NodeReport with reports and outcomes
    failure,        ///< a worker: its Failure
    signal,         ///< a worker: the signal that it received
    abort,          ///< rank 0 to node leaders: drop this round's episodes
    suspect,        ///< a node leader, about once a second: its node's Suspect
    sign,           ///< a rank of rank 0's node, to the leaders of others: a MasterSign
    gathered,       ///< a worker: its part of a gather
    part,           ///< a node leader: its node's part of work that all ranks share
};

/// Throws ClusterError if an MPI call failed; `doing` completes "MPI failed while ...".
void check_mpi(int code, char const* doing);

/// Whether check_mpi has thrown in this process: from then on ranks may disagree about which
/// collective call comes next, so none may be made.
[[nodiscard]] bool mpi_failed();

/// The MPI call that the main thread is in.
struct PresentCall {
    std::uint64_t number{0};  ///< 0: none
    int peer{-1};             ///< the rank it concerns; -1: any
};

[[nodiscard]] PresentCall present_mpi_call();

/// Shows in `present_mpi_call` that the main thread is in an MPI call, which should return soon: it
/// may not, if another node is lost.
class MpiCall {
  public:
    explicit MpiCall(int peer = -1);
    ~MpiCall();
    MpiCall(MpiCall const&) = delete;
    MpiCall& operator=(MpiCall const&) = delete;
};

/// Called while waiting; may throw to end the wait.
using Poll = std::function<void()>;

/// Waits for a transfer without using a core; calls `poll` meanwhile.
void await(MPI_Request& request, WaitPolicy policy, char const* doing, Poll const& poll = {});

/// Whether a message of that kind has arrived.
[[nodiscard]] bool probe(Tag tag, int source = MPI_ANY_SOURCE);

void send_bytes(int rank, Tag tag, std::span<std::byte const> bytes);
/// The same for large messages, and for receivers that may be lost: sleeps and polls while they are
/// transferred.
void send_large(int rank, Tag tag, std::span<std::byte const> bytes, WaitPolicy policy,
                Poll const& poll);
/// Starts to receive a message of known size.
[[nodiscard]] MPI_Request start_receive(int source, Tag tag, std::span<std::byte> bytes);
/// Waits for a message of exactly this size.
void receive_exactly(int source, Tag tag, std::span<std::byte> bytes, Poll const& poll = {});

/// Waits for a message of any size; `bytes` (a string or vector of bytes) is resized to it. Returns
/// its source. `poll` is called if it takes long: the sender of a large message may be lost before
/// all of it has arrived.
template <class Bytes>
int receive_bytes(int source, Tag tag, Bytes& bytes, Poll const& poll = {})
{
    MPI_Status status;
    int count = 0;
    {
        MpiCall const call{source};
        check_mpi(MPI_Probe(source, static_cast<int>(tag), MPI_COMM_WORLD, &status), "receiving");
    }
    MPI_Get_count(&status, MPI_BYTE, &count);
    bytes.resize(static_cast<std::size_t>(count));
    receive_exactly(status.MPI_SOURCE, tag, std::as_writable_bytes(std::span{bytes}), poll);
    return status.MPI_SOURCE;
}

/// Sends a value: as it is in memory, or as its `encode` (messages.hpp) gives it.
template <class Value>
void send(int rank, Tag tag, Value const& value)
{
    if constexpr (std::is_trivially_copyable_v<Value>) {
        send_bytes(rank, tag, std::as_bytes(std::span{&value, 1}));
    } else {
        auto const bytes = encode(value);
        send_bytes(rank, tag, std::as_bytes(std::span{bytes}));
    }
}

/// Waits for a value that `send` has sent; call `probe` first.
template <class Value>
[[nodiscard]] Value receive(int source, Tag tag)
{
    Value value{};
    if constexpr (std::is_trivially_copyable_v<Value>) {
        receive_exactly(source, tag, std::as_writable_bytes(std::span{&value, 1}));
    } else {
        std::string bytes;
        (void)receive_bytes(source, tag, bytes);
        decode(bytes, value);
    }
    return value;
}

}  // namespace mees

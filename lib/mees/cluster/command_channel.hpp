#pragma once

#include "mees/cluster/mpi.hpp"
#include "mees/cluster/shared_memory.hpp"
#include "mees/cluster/waiting.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace mees {

/// What rank 0 can ask all others to do.
enum class CommandKind : std::uint32_t {
    enlarge,    ///< the channel's own: make room for a larger payload
    text,       ///< here is a text
    proceed,    ///< all have come to the meeting point
    evaluate,   ///< here is a batch: expect assignments of its episodes
    farm,       ///< expect assignments of jobs
    sum_noise,  ///< sum your part of this
    leave,      ///< the evaluator is gone
    goodbye,    ///< the program is at its end
};

struct Command {
    CommandKind kind{CommandKind::goodbye};
    std::uint32_t round{0};  ///< counts rank 0's commands
    std::int64_t bytes{0};   ///< size of the payload
    std::int64_t extra{0};   ///< room behind the payload for answers
};

/// Carries commands, each with a payload, from rank 0 to all ranks.
///
/// A payload is written once per node into memory that the node's ranks share; between nodes it
/// travels by a tree of the nodes' first ranks ("leaders"). Ranks that wait for a command sleep and
/// are woken by it; only leaders poll.
class CommandChannel {
  public:
    /// Asked while waiting, a few times a second at least.
    using Poll = std::function<void()>;

    /// `leaders` holds the leaders only, rank 0 first; it is MPI_COMM_NULL elsewhere.
    CommandChannel(MPI_Comm node, MPI_Comm leaders, WaitPolicy policy);

    /// Rank 0: room for a payload (and `extra` bytes behind it), once nobody reads the last one.
    [[nodiscard]] std::span<std::byte> prepare(std::int64_t bytes, std::int64_t extra = 0);
    /// Rank 0: sends the command; what `prepare` gave is its payload. Returns the command's round.
    std::uint32_t send(CommandKind kind);

    /// Others: waits for the next command. `finished` must be called once for every command.
    [[nodiscard]] Command receive(Poll const& poll);
    /// Others: this rank reads the payload no more, and has written its answers behind it.
    void finished();

    [[nodiscard]] std::span<std::byte const> payload() const;
    /// The room behind the payload.
    [[nodiscard]] std::span<std::byte> answers() const;
    /// Leaders: waits until all other ranks of the node have `finished`.
    void await_node() const;

    /// Drops a round: makes `aborted` true on this node.
    void abort(std::uint32_t round);
    [[nodiscard]] bool aborted(std::uint32_t round) const;

  private:
    struct Block;

    void publish(Command const& command);
    void enlarge_node(std::int64_t bytes);
    void reserve(std::int64_t bytes);
    [[nodiscard]] Command receive_as_leader(Poll const& poll);
    [[nodiscard]] Command receive_as_member(Poll const& poll);
    void broadcast(std::span<std::byte> bytes, Poll const& poll);

    MPI_Comm node_;
    MPI_Comm leaders_;
    WaitPolicy policy_;
    bool is_leader_{false};
    std::uint32_t others_{0};  ///< ranks of this node besides the leader
    bool several_nodes_{false};
    std::uint32_t seen_{0};
    SharedMemory block_memory_;
    Block* block_{nullptr};
    SharedMemory buffer_;
    Command current_;
};

}  // namespace mees

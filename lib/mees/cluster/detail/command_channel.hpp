#pragma once

#include "mees/cluster/detail/life_signs.hpp"
#include "mees/cluster/detail/mpi.hpp"
#include "mees/cluster/detail/shared_memory.hpp"
#include "mees/cluster/detail/waiting.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mees {

/// Commands of rank 0 to all others.
enum class CommandKind : std::uint32_t {
    enlarge,         ///< internal: make room for a larger payload
    text,            ///< the payload is a string
    proceed,         ///< all ranks have reached the barrier
    evaluate,        ///< the payload is a batch: expect assignments of its episodes
    sum_noise,       ///< compute this rank's part of a weighted sum
    find_novelties,  ///< compute this rank's part of novelties
    leave,           ///< the evaluator has been released
    shutdown,        ///< the program ends
};

struct Command {
    CommandKind kind{CommandKind::shutdown};
    std::uint32_t round{0};  ///< counts rank 0's commands
    std::int64_t bytes{0};   ///< size of the payload
    std::int64_t extra{0};   ///< size of the memory behind the payload for results
};

/// Carries commands, each with a payload, from rank 0 to all ranks.
///
/// A payload is written once per node into memory that the node's ranks share; between nodes it is
/// broadcast along a tree of the nodes' first ranks ("leaders"). Ranks that wait for a command
/// sleep and are woken by it; only leaders poll.
class CommandChannel {
  public:
    /// `leaders` holds the leaders only, rank 0 first; it is MPI_COMM_NULL elsewhere. `poll` is
    /// called at least a few times a second while this rank waits, from the first command on.
    CommandChannel(MPI_Comm node, MPI_Comm leaders, WaitPolicy policy, Poll poll);

    /// Of the ranks of this node, by their rank in it.
    [[nodiscard]] std::span<LifeSign> life_signs() const { return signs_; }

    /// Rank 0: sends a command without payload. Returns its round.
    std::uint32_t send(CommandKind kind);
    /// Rank 0: memory for a payload (and `extra` bytes behind it), once no rank reads the last one.
    [[nodiscard]] std::span<std::byte> prepare(std::int64_t bytes, std::int64_t extra = 0);
    /// Rank 0: sends a command with the payload that was written to `prepare`'s memory. Returns its
    /// round.
    std::uint32_t send_prepared(CommandKind kind);

    /// Others: waits for the next command. `finished` must be called once for every command.
    [[nodiscard]] Command receive();
    /// Others: this rank no longer reads the payload, and has written its results behind it.
    void finished();

    [[nodiscard]] std::span<std::byte const> payload() const;
    /// The memory behind the payload.
    [[nodiscard]] std::span<std::byte> results() const;
    /// Leaders: waits until all other ranks of the node have `finished`.
    void await_node() const;

    /// Drops a round: makes `aborted` true on this node.
    void abort(std::uint32_t round);
    [[nodiscard]] bool aborted(std::uint32_t round) const;

  private:
    struct Block;

    void publish(Command const& command);
    /// Leaders: waits as `await_node`, then makes the buffer large enough for the command.
    void make_room(Command const& command);
    void reserve(std::int64_t bytes);
    [[nodiscard]] Command receive_as_leader();
    [[nodiscard]] Command receive_as_member();
    void broadcast(std::span<std::byte> bytes);

    MPI_Comm node_;
    MPI_Comm leaders_;
    WaitPolicy policy_;
    Poll poll_;
    bool is_leader_{false};
    std::uint32_t others_{0};  ///< ranks of this node except the leader
    int leader_{0};            ///< leaders: this one's number
    int nodes_{1};             ///< leaders: their number
    std::uint32_t seen_{0};
    SharedMemory block_memory_;
    Block* block_{nullptr};
    std::span<LifeSign> signs_;
    SharedMemory buffer_;
    Command current_;
};

}  // namespace mees

#include "mees/cluster/detail/command_channel.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>
#include <vector>

namespace mees {
namespace {

constexpr auto longest_sleep = std::chrono::milliseconds{200};
constexpr std::int64_t smallest_buffer = 1 << 20;
constexpr std::int64_t most_headroom = 64 << 20;
/// Of a transfer between nodes: bytes, and their number.
constexpr std::size_t smallest_piece = 1U << 16U;
constexpr std::size_t most_pieces = 64;

constexpr std::int64_t rounded_up(std::int64_t bytes)
{
    return (bytes + cache_line - 1) / cache_line * cache_line;
}

}  // namespace

/// What a node's ranks share apart from payloads. The leader writes `command` and then `published`;
/// the others increment `finished`.
struct CommandChannel::Block {
    alignas(cache_line) std::atomic<std::uint32_t> published{0};
    alignas(cache_line) std::atomic<std::uint32_t> finished{0};
    alignas(cache_line) std::atomic<std::uint32_t> aborted_round{0};
    Command command;
};

CommandChannel::CommandChannel(MPI_Comm node, MPI_Comm leaders, WaitPolicy policy, Poll poll)
    : node_{node}, leaders_{leaders}, policy_{policy}, poll_{std::move(poll)}
{
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    is_leader_ = rank == 0;
    others_ = static_cast<std::uint32_t>(size - 1);
    auto const ranks = static_cast<std::size_t>(size);
    auto const bytes = sizeof(Block) + ranks * sizeof(LifeSign);
    if (is_leader_) {
        require_shared_memory(static_cast<std::int64_t>(bytes) + smallest_buffer,
                              "the memory for messages");
    }
    block_memory_ = SharedMemory{node, static_cast<std::int64_t>(bytes)};
    auto* const block = block_memory_.bytes().data();
    auto* const signs = block + sizeof(Block);
    if (is_leader_) {
        MPI_Comm_rank(leaders, &leader_);
        MPI_Comm_size(leaders, &nodes_);
        block_ = new (block) Block;
        block_->finished = others_;
        for (std::size_t i = 0; i < ranks; ++i) {
            new (signs + i * sizeof(LifeSign)) LifeSign;
        }
    } else {
        block_ = std::launder(reinterpret_cast<Block*>(block));
    }
    signs_ = {std::launder(reinterpret_cast<LifeSign*>(signs)), ranks};
    reserve(smallest_buffer);
    check_mpi(MPI_Barrier(node), "waiting for the ranks of a node");
}

void CommandChannel::reserve(std::int64_t bytes)
{
    buffer_ = SharedMemory{};
    buffer_ = SharedMemory{node_, bytes};
}

void CommandChannel::make_room(Command const& command)
{
    await_node();
    auto const needed = rounded_up(command.bytes) + command.extra;
    if (needed <= static_cast<std::int64_t>(buffer_.bytes().size())) {
        return;
    }
    // All ranks of the node take part: leave headroom, so that a slightly larger next batch needs
    // no second time.
    auto const room = needed + std::min(needed, most_headroom);
    require_shared_memory(room, "the generation buffer");
    publish({.kind = CommandKind::enlarge, .bytes = room});
    await_node();
    reserve(room);
}

std::span<std::byte> CommandChannel::prepare(std::int64_t bytes, std::int64_t extra)
{
    expects(is_leader_, "only rank 0 sends commands");
    current_.bytes = bytes;
    current_.extra = extra;
    make_room(current_);
    return buffer_.bytes().first(static_cast<std::size_t>(bytes));
}

std::uint32_t CommandChannel::send(CommandKind kind)
{
    (void)prepare(0);
    return send_prepared(kind);
}

std::uint32_t CommandChannel::send_prepared(CommandKind kind)
{
    current_.kind = kind;
    ++current_.round;
    publish(current_);
    if (nodes_ > 1) {
        auto command = current_;
        broadcast(std::as_writable_bytes(std::span{&command, 1}));
        broadcast(buffer_.bytes().first(static_cast<std::size_t>(current_.bytes)));
    }
    return current_.round;
}

void CommandChannel::publish(Command const& command)
{
    block_->command = command;
    block_->finished.store(0, std::memory_order_relaxed);
    block_->published.fetch_add(1, std::memory_order_release);
    wake_sleepers(block_->published);
}

/// One transfer from rank 0 along a binary tree of leaders, piece by piece, so that all levels
/// transfer at the same time. MPI's own broadcasts may form a chain, along which every leader would
/// have to wake up in turn.
void CommandChannel::broadcast(std::span<std::byte> bytes)
{
    constexpr char const* doing = "sending to other nodes";
    auto const size = std::max(smallest_piece, bytes.size() / most_pieces + 1);
    std::vector<std::span<std::byte>> pieces;
    for (auto rest = bytes; !rest.empty(); rest = rest.subspan(pieces.back().size())) {
        pieces.push_back(rest.first(std::min(size, rest.size())));
    }
    std::vector<MPI_Request> incoming(pieces.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; leader_ > 0 && i < pieces.size(); ++i) {
        check_mpi(MPI_Irecv(pieces[i].data(), static_cast<int>(pieces[i].size()), MPI_BYTE,
                            (leader_ - 1) / 2, 0, leaders_, &incoming[i]),
                  doing);
    }
    std::vector<MPI_Request> outgoing;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        await(incoming[i], policy_, doing, poll_);
        for (int child = 2 * leader_ + 1; child <= 2 * leader_ + 2 && child < nodes_; ++child) {
            MpiCall const call;
            check_mpi(MPI_Isend(pieces[i].data(), static_cast<int>(pieces[i].size()), MPI_BYTE,
                                child, 0, leaders_, &outgoing.emplace_back(MPI_REQUEST_NULL)),
                      doing);
        }
    }
    for (auto& request : outgoing) {
        await(request, policy_, doing, poll_);
    }
}

Command CommandChannel::receive()
{
    current_ = is_leader_ ? receive_as_leader() : receive_as_member();
    return current_;
}

Command CommandChannel::receive_as_leader()
{
    Command command;
    broadcast(std::as_writable_bytes(std::span{&command, 1}));
    make_room(command);
    broadcast(buffer_.bytes().first(static_cast<std::size_t>(command.bytes)));
    publish(command);
    return command;
}

Command CommandChannel::receive_as_member()
{
    for (;;) {
        while (block_->published.load(std::memory_order_acquire) == seen_) {
            poll_();
            sleep_while_equal(block_->published, seen_, longest_sleep);
        }
        ++seen_;
        auto const command = block_->command;
        if (command.kind != CommandKind::enlarge) {
            return command;
        }
        finished();
        reserve(command.bytes);
    }
}

void CommandChannel::finished()
{
    if (!is_leader_) {
        block_->finished.fetch_add(1, std::memory_order_acq_rel);
    }
}

void CommandChannel::await_node() const
{
    Backoff backoff{policy_};
    while (block_->finished.load(std::memory_order_acquire) != others_) {
        poll_();
        backoff.pause();
    }
}

std::span<std::byte const> CommandChannel::payload() const
{
    return buffer_.bytes().first(static_cast<std::size_t>(current_.bytes));
}

std::span<std::byte> CommandChannel::results() const
{
    return buffer_.bytes().subspan(static_cast<std::size_t>(rounded_up(current_.bytes)),
                                   static_cast<std::size_t>(current_.extra));
}

void CommandChannel::abort(std::uint32_t round)
{
    block_->aborted_round.store(round, std::memory_order_relaxed);
}

bool CommandChannel::aborted(std::uint32_t round) const
{
    return block_->aborted_round.load(std::memory_order_relaxed) == round;
}

}  // namespace mees

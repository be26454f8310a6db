#include "mees/cluster/detail/round.hpp"

#include "mees/core/error.hpp"

#include <cstring>

namespace mees {
Round::Round(Ranks& ranks, std::uint32_t round, ChunkPlanner planner)
    : ranks_{ranks},
      round_{round},
      planner_{planner},
      workers_(static_cast<std::size_t>(ranks.topology().size)),
      unfinished_{ranks.topology().size - 1}
{
}

bool Round::run(OnReply const& on_reply, StopToken& stop)
{
    auto& timing = ranks_.timing;
    Stopwatch watch;
    for (int rank = 1; rank < ranks_.topology().size; ++rank) {
        assign(rank);
    }
    timing.dispatching += watch.restart();
    Backoff backoff{ranks_.wait_policy()};
    while (!over()) {
        bool const reply = probe(Tag::reply);
        if (reply) {
            timing.waiting += watch.restart();
            take_reply(on_reply, watch);
            ranks_.answered();
            backoff.restart();
        }
        ranks_.tend();
        if (!dropped_ && (stop.requested() || ranks_.failed())) {
            drop_all();
        }
        if (!reply) {
            backoff.pause();
        }
    }
    timing.waiting += watch.restart();
    ranks_.receive_reports();
    ranks_.throw_failure();
    return !dropped_;
}

void Round::send_assignment(int rank, ChunkPlanner::Chunk chunk, bool last)
{
    send(rank, Tag::assignment, Assignment{round_, last ? 1U : 0U, chunk.begin, chunk.end});
    ++ranks_.timing.messages;
    if (!chunk.empty()) {
        ++worker(rank).assignments;
        ++outstanding_;
    }
    if (last) {
        worker(rank).got_last = true;
        --unfinished_;
    }
}

/// Gives a worker its next episodes, one assignment ahead while the planner allows it, or the
/// message that none follow.
void Round::assign(int rank)
{
    auto const& receiver = worker(rank);
    if (receiver.got_last) {
        return;
    }
    if (receiver.assignments == 0 && !planner_.exhausted()) {
        auto const chunk = planner_.next();
        send_assignment(rank, chunk, planner_.exhausted());
    }
    if (receiver.assignments == 1 && !receiver.got_last) {
        if (auto const chunk = planner_.next_queued(); !chunk.empty()) {
            send_assignment(rank, chunk, planner_.exhausted());
        }
    }
    if (planner_.exhausted() && !receiver.got_last) {
        send_assignment(rank, {}, true);
    }
}

void Round::take_reply(OnReply const& on_reply, Stopwatch& watch)
{
    auto& timing = ranks_.timing;
    auto const source =
        receive_bytes(MPI_ANY_SOURCE, Tag::reply, buffer_, [this] { ranks_.tend(); });
    ++timing.messages;
    ReplyHeader header;
    expects(buffer_.size() >= sizeof header, "a reply with a header");
    std::memcpy(&header, buffer_.data(), sizeof header);
    expects(header.round == round_, "a reply to this round");
    --outstanding_;
    --worker(source).assignments;
    timing.receiving += watch.restart();
    if (!dropped_) {
        // The worker's next episodes first: it may have nothing to do.
        assign(source);
        timing.dispatching += watch.restart();
        if (header.dropped == 0) {
            on_reply(source, header, std::span{buffer_}.subspan(sizeof header));
        } else {
            ranks_.receive_reports();  // of the failure, sent before the reply
        }
        timing.storing += watch.restart();
    }
}

void Round::drop_all()
{
    dropped_ = true;
    ranks_.channel().abort(round_);
    for (int rank = 1; rank < ranks_.topology().size; ++rank) {
        if (ranks_.infos()[static_cast<std::size_t>(rank)].leads_node) {
            send(rank, Tag::abort, round_);
        }
        if (!worker(rank).got_last) {
            send_assignment(rank, {}, true);
        }
    }
}

}  // namespace mees

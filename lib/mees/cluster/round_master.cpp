#include "mees/cluster/mail.hpp"
#include "mees/cluster/rounds.hpp"
#include "mees/core/error.hpp"
#include "mees/core/stopwatch.hpp"

#include <cstring>

namespace mees {
namespace {

/// However many replies come in, signals and failures are seen after so many.
constexpr std::int64_t replies_between_mail = 16;

}  // namespace

Round::Round(ClusterRuntime::Impl& runtime, std::uint32_t round, ChunkPlanner planner)
    : runtime_{runtime},
      round_{round},
      planner_{planner},
      workers_(static_cast<std::size_t>(runtime.topology.size)),
      unfinished_{runtime.topology.size - 1}
{
}

bool Round::run(OnReply const& on_reply, StopToken& stop)
{
    Stopwatch watch;
    for (int rank = 1; rank < runtime_.topology.size; ++rank) {
        assign(rank);
    }
    runtime_.timing.dispatching += watch.restart();
    Backoff backoff{runtime_.wait_policy};
    for (std::int64_t looks = 0; !over(); ++looks) {
        bool const reply = has_mail(Tag::reply);
        if (reply) {
            runtime_.timing.waiting += watch.restart();
            take_reply(on_reply, watch);
            backoff.restart();
        }
        if (!reply || looks % replies_between_mail == 0) {
            runtime_.read_mail();
        }
        if (!dropped_ && (stop.requested() || runtime_.failure)) {
            drop_all();
        }
        if (!reply) {
            backoff.pause();
        }
    }
    runtime_.timing.waiting += watch.restart();
    runtime_.throw_failure();
    return !dropped_;
}

void Round::send(int rank, ChunkPlanner::Chunk chunk, bool last)
{
    auto& worker = workers_[static_cast<std::size_t>(rank)];
    Assignment const assignment{round_, last ? 1U : 0U, chunk.begin, chunk.end};
    check_mpi(MPI_Send(&assignment, sizeof assignment, MPI_BYTE, rank,
                       static_cast<int>(Tag::assignment), MPI_COMM_WORLD),
              "handing out work");
    ++runtime_.timing.messages;
    if (!chunk.empty()) {
        ++worker.assignments;
        ++outstanding_;
    }
    if (last) {
        worker.told_last = true;
        --unfinished_;
    }
}

/// Gives a worker its next items, one assignment ahead while that is wise, and says so when there
/// will be no more.
void Round::assign(int rank)
{
    auto& worker = workers_[static_cast<std::size_t>(rank)];
    if (worker.told_last) {
        return;
    }
    if (worker.assignments == 0 && !planner_.exhausted()) {
        auto const chunk = planner_.next();
        send(rank, chunk, planner_.exhausted());
    }
    if (worker.assignments == 1 && !worker.told_last) {
        if (auto const chunk = planner_.next_queued(); !chunk.empty()) {
            send(rank, chunk, planner_.exhausted());
        }
    }
    if (planner_.exhausted() && !worker.told_last) {
        send(rank, {}, true);
    }
}

void Round::take_reply(OnReply const& on_reply, Stopwatch& watch)
{
    MPI_Status status;
    int count = 0;
    check_mpi(MPI_Probe(MPI_ANY_SOURCE, static_cast<int>(Tag::reply), MPI_COMM_WORLD, &status),
              "receiving a reply");
    MPI_Get_count(&status, MPI_BYTE, &count);
    buffer_.resize(static_cast<std::size_t>(count));
    check_mpi(MPI_Recv(buffer_.data(), count, MPI_BYTE, status.MPI_SOURCE,
                       static_cast<int>(Tag::reply), MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              "receiving a reply");
    ++runtime_.timing.messages;
    ReplyHeader header;
    expects(buffer_.size() >= sizeof header, "a reply with a header");
    std::memcpy(&header, buffer_.data(), sizeof header);
    expects(header.round == round_, "a reply to this round");
    --outstanding_;
    --workers_[static_cast<std::size_t>(status.MPI_SOURCE)].assignments;
    runtime_.timing.receiving += watch.restart();
    if (!dropped_) {
        // The worker's next items first: it may have nothing to do.
        assign(status.MPI_SOURCE);
        runtime_.timing.dispatching += watch.restart();
        if (header.dropped == 0) {
            on_reply(status.MPI_SOURCE, header, std::span{buffer_}.subspan(sizeof header));
        }
        runtime_.timing.storing += watch.restart();
    }
}

void Round::drop_all()
{
    dropped_ = true;
    runtime_.channel->abort(round_);
    for (int rank = 1; rank < runtime_.topology.size; ++rank) {
        auto const& other = runtime_.introductions[static_cast<std::size_t>(rank)];
        if (other.leads_node) {
            check_mpi(MPI_Send(&round_, 1, MPI_UINT32_T, rank, static_cast<int>(Tag::abort),
                               MPI_COMM_WORLD),
                      "dropping a batch");
        }
        if (!workers_[static_cast<std::size_t>(rank)].told_last) {
            send(rank, {}, true);
        }
    }
}

}  // namespace mees

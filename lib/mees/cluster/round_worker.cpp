#include "mees/cluster/mail.hpp"
#include "mees/cluster/rounds.hpp"
#include "mees/core/stopwatch.hpp"

#include <fmt/format.h>

#include <cstring>

namespace mees {
namespace {

/// Tells, once per control step and nearly for free, whether the round was dropped; every few
/// milliseconds it also does what this rank owes the others.
class AbortWatch {
  public:
    AbortWatch(ClusterRuntime::Impl& runtime, std::uint32_t round)
        : runtime_{runtime}, round_{round}
    {
    }

    [[nodiscard]] bool operator()()
    {
        if (--countdown_ <= 0) {
            look();
        }
        return runtime_.channel->aborted(round_);
    }

  private:
    static constexpr int steps_between_looks = 8;
    static constexpr double seconds_between_polls = 0.02;

    void look()
    {
        double const elapsed = since_poll_.seconds();
        countdown_ = elapsed > seconds_between_polls ? 1 : steps_between_looks;
        if (elapsed > seconds_between_polls) {
            since_poll_.restart();
            runtime_.poll();
        }
    }

    ClusterRuntime::Impl& runtime_;
    std::uint32_t round_;
    int countdown_{0};
    Stopwatch since_poll_;
};

Assignment await_assignment(ClusterRuntime::Impl& runtime)
{
    Stopwatch watch;
    Backoff backoff{runtime.wait_policy};
    while (!has_mail(Tag::assignment, 0)) {
        runtime.poll();
        backoff.pause();
    }
    Assignment assignment;
    check_mpi(MPI_Recv(&assignment, sizeof assignment, MPI_BYTE, 0,
                       static_cast<int>(Tag::assignment), MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              "receiving work");
    runtime.waited += watch.seconds();
    return assignment;
}

/// Whether all items of the assignment were done.
bool do_items(ClusterRuntime::Impl& runtime, Assignment const& assignment, ItemWork const& work,
              AbortCheck const& abort, std::vector<std::byte>& reply)
{
    for (auto item = assignment.begin; item < assignment.end; ++item) {
        try {
            if (abort() || !work.work(item, abort, reply)) {
                return false;
            }
        } catch (std::exception const& error) {
            runtime.report(runtime.failure_here(error, fmt::format(" in {} {}", work.name, item)));
            return false;
        }
    }
    return true;
}

}  // namespace

void serve_round(ClusterRuntime::Impl& runtime, std::uint32_t round, ItemWork const& work)
{
    AbortWatch watch{runtime, round};
    AbortCheck const abort = [&watch] { return watch(); };
    std::vector<std::byte> reply;
    for (bool last = false; !last;) {
        auto const assignment = await_assignment(runtime);
        last = assignment.last != 0;
        if (assignment.begin == assignment.end) {
            continue;
        }
        Stopwatch own;
        reply.resize(sizeof(ReplyHeader));
        bool const done = do_items(runtime, assignment, work, abort, reply);
        ReplyHeader header{.round = round,
                           .dropped = done ? 0U : 1U,
                           .begin = assignment.begin,
                           .end = assignment.end,
                           .seconds = own.seconds(),
                           .waiting = runtime.waited};
        work.add_timing(header);
        if (!done) {
            reply.resize(sizeof header);
        }
        std::memcpy(reply.data(), &header, sizeof header);
        MPI_Request request = MPI_REQUEST_NULL;
        check_mpi(MPI_Isend(reply.data(), static_cast<int>(reply.size()), MPI_BYTE, 0,
                            static_cast<int>(Tag::reply), MPI_COMM_WORLD, &request),
                  "sending results");
        runtime.complete(request);
    }
}

}  // namespace mees

#include "mees/cluster/mail.hpp"
#include "mees/cluster/rounds.hpp"
#include "mees/core/stopwatch.hpp"

#include <fmt/format.h>

#include <cstring>
#include <ctime>

namespace mees {
namespace {

/// Reading it costs a few nanoseconds; it moves every few milliseconds.
double coarse_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Tells, once per control step and nearly for free, whether the round was dropped; every few
/// milliseconds, or every step if they take longer, it also does what this rank owes the others.
class AbortWatch {
  public:
    AbortWatch(ClusterRuntime::Impl& runtime, std::uint32_t round)
        : runtime_{runtime}, round_{round}
    {
    }

    [[nodiscard]] bool operator()()
    {
        if (double const now = coarse_seconds(); now >= next_poll_) {
            next_poll_ = now + seconds_between_polls;
            runtime_.poll();
        }
        return runtime_.channel->aborted(round_);
    }

  private:
    static constexpr double seconds_between_polls = 0.02;

    ClusterRuntime::Impl& runtime_;
    std::uint32_t round_;
    double next_poll_{0};
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

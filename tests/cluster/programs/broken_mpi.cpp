#include "scenarios.hpp"

#include "mees/cluster/detail/mpi.hpp"
#include "mees/core/stopwatch.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <map>
#include <string>

#include <unistd.h>

namespace mees::test {
namespace {

/// From now on MPI calls of this kind fail, stall or lie on this rank.
enum class BrokenCall {
    none,
    send,
    send_stalls,
    send_blocks,
    broadcast,
    probe_any,
    window_fails,
    window_stalls,
    other_build
};
BrokenCall broken_call = BrokenCall::none;

/// An MPI failure on rank 0 in the middle of a batch, while all other ranks wait for it.
ExitCode mpi_fails(ClusterRuntime& runtime, BrokenCall call)
{
    return with_fake(runtime, long_episodes, [call](Evaluator& evaluator, NoiseSource&) {
        broken_call = call;
        StopToken stop;
        (void)evaluator.evaluate(fake_batch(50, table_size), stop);
    });
}

/// Messages of rank 0 never leave, as those to a node that was just lost: it can still save, and
/// ends.
ExitCode send_stalls(ClusterRuntime& runtime)
{
    (void)with_fake(runtime, long_episodes, [](Evaluator& evaluator, NoiseSource&) {
        broken_call = BrokenCall::send_stalls;
        StopToken stop{TimeLimit{StopToken::Clock::now() + std::chrono::milliseconds{1500}}, {}};
        Stopwatch watch;
        double saved_after = 0;
        evaluator.while_waiting([&] {
            if (stop.requested() && saved_after == 0) {
                saved_after = watch.seconds();
            }
        });
        require(!evaluator.evaluate(fake_batch(50, table_size), stop), "the batch was dropped");
        require(saved_after > 0 && saved_after < watch.seconds() - 2,
                "the state can be saved first");
    });
    return ExitCode::stopped_early;
}

/// Rank 0 does not return from MPI, as after the loss of a node: another thread ends it.
ExitCode send_blocks(ClusterRuntime& runtime)
{
    runtime.set_silence_limit(2);
    return with_fake(runtime, {}, [](Evaluator& evaluator, NoiseSource&) {
        evaluator.before_exit([] { fmt::print(stderr, "the state can be saved first\n"); });
        broken_call = BrokenCall::send_blocks;
        StopToken stop;
        (void)evaluator.evaluate(fake_batch(50, table_size), stop);
    });
}

/// The last rank dies, and before it is noticed MPI fails on rank 0 in all calls that concern any
/// rank, as with fault tolerance (ULFM).
ExitCode mpi_fails_after_a_death(ClusterRuntime& runtime)
{
    Stopwatch const watch;
    if (runtime.rank() == runtime.size() - 1) {
        std::signal(SIGALRM, [](int) { (void)std::raise(SIGKILL); });
        alarm(1);
    }
    return with_fake(runtime, long_episodes, [&](Evaluator& evaluator, NoiseSource&) {
        constexpr double just_before = 0.9;
        evaluator.while_waiting([&] {
            if (watch.seconds() > just_before) {
                broken_call = BrokenCall::probe_any;
            }
        });
        StopToken stop;
        (void)evaluator.evaluate(fake_batch(50, table_size), stop);
    });
}

}  // namespace

Scenarios broken_mpi_scenarios()
{
    auto const succeeds = [](ClusterRuntime&) { return ExitCode::success; };
    return {
        {"mpi_send_fails",
         [](ClusterRuntime& runtime) { return mpi_fails(runtime, BrokenCall::send); }},
        {"send_stalls", send_stalls},
        {"send_blocks", send_blocks},
        {"mpi_broadcast_fails",
         [](ClusterRuntime& runtime) { return mpi_fails(runtime, BrokenCall::broadcast); }},
        {"mpi_fails_after_a_death", mpi_fails_after_a_death},
        {"window_fails", succeeds},
        {"window_stalls", succeeds},
        {"other_build", succeeds},
    };
}

void break_mpi_at_start(std::string const& scenario)
{
    std::map<std::string, BrokenCall> const broken{{"window_fails", BrokenCall::window_fails},
                                                   {"window_stalls", BrokenCall::window_stalls},
                                                   {"other_build", BrokenCall::other_build}};
    if (auto const call = broken.find(scenario);
        call != broken.end() && rank_from_environment() == 1) {
        broken_call = call->second;
    }
}

}  // namespace mees::test

using namespace mees;
using namespace mees::test;

// MPI's profiling interface: these replace the library's functions.
extern "C" int MPI_Send(void const* data, int count, MPI_Datatype type, int rank, int tag,
                        MPI_Comm comm)
{
    if (broken_call == BrokenCall::other_build && tag == static_cast<int>(Tag::rank_info)) {
        std::string bytes{static_cast<char const*>(data), static_cast<std::size_t>(count)};
        bytes.replace(bytes.find("mees "), 6, "mees 9");
        return PMPI_Send(bytes.data(), count, type, rank, tag, comm);
    }
    return broken_call == BrokenCall::send ? MPI_ERR_OTHER
                                           : PMPI_Send(data, count, type, rank, tag, comm);
}

extern "C" int MPI_Isend(void const* data, int count, MPI_Datatype type, int rank, int tag,
                         MPI_Comm comm, MPI_Request* request)
{
    // Commands travel between leaders in a communicator of their own.
    bool const is_command = comm != MPI_COMM_WORLD;
    if (broken_call == BrokenCall::send_stalls && !is_command) {
        static char nothing = 0;
        constexpr int unused_tag = 1000;
        return PMPI_Irecv(&nothing, 1, MPI_BYTE, 0, unused_tag, MPI_COMM_SELF, request);
    }
    while (broken_call == BrokenCall::send_blocks && !is_command) {
        pause();
    }
    bool const fails = broken_call == (is_command ? BrokenCall::broadcast : BrokenCall::send);
    return fails ? MPI_ERR_OTHER : PMPI_Isend(data, count, type, rank, tag, comm, request);
}

extern "C" int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* arrived, MPI_Status* status)
{
    bool const fails = broken_call == BrokenCall::probe_any && source == MPI_ANY_SOURCE;
    return fails ? MPI_ERR_OTHER : PMPI_Iprobe(source, tag, comm, arrived, status);
}

extern "C" int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                                       void* base, MPI_Win* window)
{
    if (broken_call == BrokenCall::window_stalls) {
        (void)std::raise(SIGSTOP);
    }
    return broken_call == BrokenCall::window_fails
               ? MPI_ERR_NO_MEM
               : PMPI_Win_allocate_shared(size, unit, info, comm, base, window);
}

#include "mees/cluster/runtime_impl.hpp"

#include "mees/cluster/crash.hpp"
#include "mees/cluster/identity.hpp"
#include "mees/cluster/launcher.hpp"
#include "mees/cluster/mail.hpp"
#include "mees/core/log.hpp"
#include "mees/core/stop.hpp"
#include "mees/core/stopwatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include <sys/prctl.h>

namespace mees {
namespace {

/// Ranks that wait in MPI_Init and MPI_Finalize poll every 100 us: hundreds of them on a few cores
/// would leave no time for anything else. A coarse timer makes them poll less.
class CoarseTimer {
  public:
    CoarseTimer() { prctl(PR_SET_TIMERSLACK, 10'000'000UL); }
    ~CoarseTimer() { prctl(PR_SET_TIMERSLACK, 0UL); }
    CoarseTimer(CoarseTimer const&) = delete;
    CoarseTimer& operator=(CoarseTimer const&) = delete;
};

}  // namespace

ClusterRuntime::Impl::Impl(int& argc, char**& argv) : host{host_name()}
{
    tie_to_launcher();
    if (!started_by_launcher()) {
        refuse_singletons(1);
        return;
    }
    {
        CoarseTimer const coarse;
        int provided = 0;
        check_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "starting");
    }
    mpi_started_ = true;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &topology.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &topology.size);
    try {
        refuse_singletons(topology.size);
    } catch (...) {
        MPI_Finalize();
        throw;
    }
    if (topology.size > 1) {
        announce_crashes(topology.rank, host);
        find_place();
        wait_policy = WaitPolicy::for_node(topology.node_size,
                                           static_cast<int>(std::thread::hardware_concurrency()));
        channel.emplace(node, leaders, wait_policy);
        introduce();
    }
}

void ClusterRuntime::Impl::find_place()
{
    check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, topology.rank,
                                  MPI_INFO_NULL, &node),
              "finding the ranks of this node");
    MPI_Comm_rank(node, &topology.node_rank);
    MPI_Comm_size(node, &topology.node_size);
    check_mpi(MPI_Comm_split(MPI_COMM_WORLD, topology.is_leader() ? 0 : MPI_UNDEFINED,
                             topology.rank, &leaders),
              "finding the other nodes");
    std::array<int, 3> facts{};
    if (topology.is_leader()) {
        MPI_Comm_rank(leaders, &topology.node);
        MPI_Comm_size(leaders, &topology.nodes);
        MPI_Exscan(&topology.node_size, &topology.first_place, 1, MPI_INT, MPI_SUM, leaders);
        facts = {topology.node, topology.nodes, topology.node == 0 ? 0 : topology.first_place};
    }
    check_mpi(MPI_Bcast(facts.data(), 3, MPI_INT, 0, node), "telling the node its place");
    topology.node = facts[0];
    topology.nodes = facts[1];
    topology.first_place = facts[2];
}

void ClusterRuntime::Impl::introduce()
{
    Introduction const own{topology.rank,     host,         processor_kind(),
                           kernel_identity(), process_id(), topology.is_leader(),
                           topology.node_size};
    if (topology.rank != 0) {
        auto const bytes = encode(own);
        check_mpi(MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0,
                           static_cast<int>(Tag::introduction), MPI_COMM_WORLD),
                  "introducing this rank");
        return;
    }
    introductions.resize(static_cast<std::size_t>(topology.size));
    introductions[0] = own;
    Backoff backoff{wait_policy};
    for (int missing = topology.size - 1; missing > 0;) {
        if (!has_mail(Tag::introduction)) {
            backoff.pause();
            continue;
        }
        auto const other = decode_introduction(receive_bytes(MPI_ANY_SOURCE, Tag::introduction));
        introductions[static_cast<std::size_t>(other.rank)] = other;
        --missing;
    }
    auto const stranger = std::ranges::find_if(
        introductions, [&](auto const& other) { return other.processor != own.processor; });
    if (stranger != introductions.end()) {
        log::warning(
            "ranks run on different processors ({} on {}, {} on {}): another mix may give "
            "other last digits",
            own.processor, own.host, stranger->processor, stranger->host);
    }
}

ClusterRuntime::Impl::~Impl()
{
    if (!mpi_started_) {
        return;
    }
    if (channel) {
        say_goodbye();
        channel.reset();
        kept.clear();
    }
    {
        CoarseTimer const coarse;
        MPI_Finalize();
    }
    if (topology.rank == 0) {
        await_processes();
    }
}

void ClusterRuntime::Impl::say_goodbye()
{
    if (topology.rank == 0) {
        (void)channel->prepare(0);
        channel->send(CommandKind::goodbye);
        channel->await_node();
        return;
    }
    while (!dismissed_) {
        try {
            (void)receive();
            channel->finished();
        } catch (Dismissed const&) {
        }
    }
    if (topology.is_leader()) {
        channel->await_node();
    }
}

/// Rank 0 may leave with a status that its launcher takes for a failure, and the launcher would
/// then kill whoever is still on the way out.
void ClusterRuntime::Impl::await_processes() const
{
    constexpr double longest = 3;
    auto const& own = introductions.empty() ? Introduction{} : introductions.front();
    Stopwatch watch;
    for (auto const& other : introductions) {
        if (other.rank == 0 || other.kernel != own.kernel) {
            continue;
        }
        while (process_runs(other.process) && watch.seconds() < longest) {
            std::this_thread::sleep_for(std::chrono::milliseconds{2});
        }
    }
    bool const far = std::ranges::any_of(
        introductions, [&](auto const& other) { return other.kernel != own.kernel; });
    if (far) {
        std::this_thread::sleep_for(std::chrono::milliseconds{300});
    }
}

Command ClusterRuntime::Impl::receive()
{
    Stopwatch watch;
    auto const command = channel->receive([this] { poll(); });
    waited += watch.seconds();
    if (command.kind == CommandKind::goodbye) {
        dismissed_ = true;
        channel->finished();
        throw Dismissed{};
    }
    return command;
}

void ClusterRuntime::Impl::poll()
{
    if (int const signal = received_signal(); signal != 0 && !signal_passed_on_) {
        signal_passed_on_ = true;
        check_mpi(MPI_Send(&signal, 1, MPI_INT, 0, static_cast<int>(Tag::signal), MPI_COMM_WORLD),
                  "passing on a signal");
    }
    if (topology.is_leader() && has_mail(Tag::abort, 0)) {
        std::uint32_t round = 0;
        check_mpi(MPI_Recv(&round, 1, MPI_UINT32_T, 0, static_cast<int>(Tag::abort), MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE),
                  "receiving an abort");
        channel->abort(round);
    }
}

void ClusterRuntime::Impl::read_mail()
{
    if (has_mail(Tag::signal)) {
        int signal = 0;
        check_mpi(MPI_Recv(&signal, 1, MPI_INT, MPI_ANY_SOURCE, static_cast<int>(Tag::signal),
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                  "receiving a signal");
        note_signal(signal);
    }
    if (has_mail(Tag::failure)) {
        auto const reported = decode_failure(receive_bytes(MPI_ANY_SOURCE, Tag::failure));
        if (!failure) {
            failure = reported;
        }
    }
}

void ClusterRuntime::Impl::throw_failure() const
{
    if (failure) {
        throw ClusterError{fmt::format("rank {} on host {} failed{}", failure->rank, failure->host,
                                       failure->where),
                           failure->text, "mend that, then run the same command again"};
    }
}

void ClusterRuntime::Impl::report(Failure const& reported)
{
    auto const bytes = encode(reported);
    check_mpi(MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0,
                       static_cast<int>(Tag::failure), MPI_COMM_WORLD),
              "reporting a failure");
}

Failure ClusterRuntime::Impl::failure_here(std::exception const& exception,
                                           std::string const& where) const
{
    return {topology.rank, host, where, exception.what()};
}

void ClusterRuntime::Impl::complete(MPI_Request& request)
{
    Backoff backoff{wait_policy};
    for (int done = 0;;) {
        check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "sending");
        if (done != 0) {
            return;
        }
        backoff.pause();
    }
}

}  // namespace mees

#include "mees/cluster/detail/ranks.hpp"

#include "mees/cluster/detail/process.hpp"
#include "mees/core/log.hpp"
#include "mees/core/process.hpp"
#include "mees/core/stop.hpp"
#include "mees/core/stopwatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <thread>

#include <sys/prctl.h>
#include <unistd.h>

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

Ranks::Ranks(int& argc, char**& argv) : host_{host_name()}
{
    exit_with_launcher();
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
    MPI_Comm_rank(MPI_COMM_WORLD, &topology_.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &topology_.size);
    try {
        refuse_singletons(topology_.size);
    } catch (...) {
        MPI_Finalize();
        throw;
    }
    if (topology_.size > 1) {
        announce_crashes(topology_.rank, host_);
        find_topology();
        wait_policy_ = WaitPolicy::for_node(topology_.node_size,
                                            static_cast<int>(std::thread::hardware_concurrency()));
        channel_.emplace(node_, leaders_, wait_policy_);
        exchange_infos();
    }
}

void Ranks::find_topology()
{
    check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, topology_.rank,
                                  MPI_INFO_NULL, &node_),
              "finding the ranks of this node");
    MPI_Comm_rank(node_, &topology_.node_rank);
    MPI_Comm_size(node_, &topology_.node_size);
    check_mpi(MPI_Comm_split(MPI_COMM_WORLD, topology_.is_leader() ? 0 : MPI_UNDEFINED,
                             topology_.rank, &leaders_),
              "finding the other nodes");
    std::array<int, 3> facts{};
    if (topology_.is_leader()) {
        MPI_Comm_rank(leaders_, &topology_.node);
        MPI_Comm_size(leaders_, &topology_.nodes);
        MPI_Exscan(&topology_.node_size, &topology_.first_place, 1, MPI_INT, MPI_SUM, leaders_);
        facts = {topology_.node, topology_.nodes, topology_.node == 0 ? 0 : topology_.first_place};
    }
    check_mpi(MPI_Bcast(facts.data(), 3, MPI_INT, 0, node_), "numbering the nodes");
    topology_.node = facts[0];
    topology_.nodes = facts[1];
    topology_.first_place = facts[2];
}

void Ranks::exchange_infos()
{
    RankInfo const own{topology_.rank,     host_,    processor_model(),
                       kernel_identity(),  getpid(), topology_.is_leader(),
                       topology_.node_size};
    if (!topology_.is_root()) {
        send(0, Tag::rank_info, own);
        return;
    }
    infos_.resize(static_cast<std::size_t>(topology_.size));
    infos_[0] = own;
    Backoff backoff{wait_policy_};
    for (int missing = topology_.size - 1; missing > 0;) {
        if (!probe(Tag::rank_info)) {
            backoff.pause();
            continue;
        }
        auto const other = receive<RankInfo>(MPI_ANY_SOURCE, Tag::rank_info);
        infos_[static_cast<std::size_t>(other.rank)] = other;
        --missing;
    }
    auto const different = std::ranges::find_if(
        infos_, [&](auto const& other) { return other.processor != own.processor; });
    if (different != infos_.end()) {
        log::warning(
            "ranks run on different processors ({} on {}, {} on {}): results may differ in the "
            "last digits from those of another mix",
            own.processor, own.host, different->processor, different->host);
    }
}

Ranks::~Ranks()
{
    if (!mpi_started_ || std::uncaught_exceptions() > 0 || mpi_failed()) {
        return;
    }
    try {
        if (channel_) {
            shut_down();
            channel_.reset();
            shared_.clear();
        }
        {
            CoarseTimer const coarse;
            MPI_Finalize();
        }
        if (topology_.is_root()) {
            await_processes();
        }
    } catch (std::exception const& error) {
        log::error("shutdown failed on rank {}: {}", topology_.rank, error.what());
    }
}

void Ranks::shut_down()
{
    if (topology_.is_root()) {
        channel_->send(CommandKind::shutdown);
        channel_->await_node();
        return;
    }
    while (!shutdown_requested_) {
        try {
            (void)next_command();
            channel_->finished();
        } catch (ShutdownRequested const&) {
        }
    }
    if (topology_.is_leader()) {
        channel_->await_node();
    }
}

/// Rank 0 may exit with a status that its launcher takes for a failure, and the launcher would then
/// kill ranks that have not exited yet.
void Ranks::await_processes() const
{
    constexpr double longest = 3;
    auto const own = infos_.empty() ? RankInfo{} : infos_.front();
    Stopwatch watch;
    for (auto const& other : infos_) {
        if (other.rank == 0 || other.kernel != own.kernel) {
            continue;
        }
        while (process_runs(other.process) && watch.seconds() < longest) {
            std::this_thread::sleep_for(std::chrono::milliseconds{2});
        }
    }
    bool const other_nodes =
        std::ranges::any_of(infos_, [&](auto const& other) { return other.kernel != own.kernel; });
    if (other_nodes) {
        std::this_thread::sleep_for(std::chrono::milliseconds{300});
    }
}

Command Ranks::next_command()
{
    Stopwatch watch;
    auto const command = channel_->receive([this] { poll(); });
    waited += watch.seconds();
    if (command.kind == CommandKind::shutdown) {
        shutdown_requested_ = true;
        channel_->finished();
        throw ShutdownRequested{};
    }
    return command;
}

void Ranks::poll()
{
    if (int const signal = received_signal(); signal != 0 && !signal_forwarded_) {
        signal_forwarded_ = true;
        send(0, Tag::signal, signal);
    }
    if (topology_.is_leader() && probe(Tag::abort, 0)) {
        channel_->abort(receive<std::uint32_t>(0, Tag::abort));
    }
}

void Ranks::report(std::exception const& error, std::string const& where)
{
    send(0, Tag::failure, Failure{topology_.rank, host_, where, error.what()});
}

void Ranks::receive_reports()
{
    if (probe(Tag::signal)) {
        note_signal(receive<int>(MPI_ANY_SOURCE, Tag::signal));
    }
    if (probe(Tag::failure)) {
        auto reported = receive<Failure>(MPI_ANY_SOURCE, Tag::failure);
        if (!failure_) {
            failure_ = std::move(reported);
        }
    }
}

void Ranks::throw_failure() const
{
    if (failure_) {
        throw ClusterError{fmt::format("rank {} on host {} failed{}", failure_->rank,
                                       failure_->host, failure_->where),
                           failure_->text,
                           "Fix the cause, then run the same command again to resume."};
    }
}

SharedMemory const& Ranks::share(std::int64_t bytes)
{
    return shared_.emplace_back(node_, bytes);
}

}  // namespace mees

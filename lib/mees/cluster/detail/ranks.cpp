#include "mees/cluster/detail/ranks.hpp"

#include "mees/cluster/detail/process.hpp"
#include "mees/cluster/detail/shared_memory.hpp"
#include "mees/cluster/detail/watchdog.hpp"
#include "mees/core/log.hpp"
#include "mees/core/output.hpp"
#include "mees/core/process.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/core/version.hpp"
#include "mees/sim/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <functional>
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

/// For the last command, without episodes in between.
constexpr double seconds_to_end = 8;

}  // namespace

Ranks::Ranks(int& argc, char**& argv) : host_{host_name()}
{
    exit_with_launcher();
    if (!started_by_launcher()) {
        refuse_singletons(1);
        return;
    }
    warn_of_little_memory(rank_from_environment(), rank_of_node_from_environment(), host_);
    auto const watchdog = bound_collective(stage_);
    start(argc, argv);
    if (topology_.size == 1) {
        return;
    }
    try {
        connect();
    } catch (std::exception const& error) {
        // No other rank can be told: they wait in collective calls.
        print_error(program_invocation_short_name,
                    topology_.is_root() ? error.what()
                                        : fmt::format("rank {} on host {}: {}", topology_.rank,
                                                      host_, error.what()));
        abort_all_ranks(static_cast<int>(ExitCode::failure));
    }
}

void Ranks::start(int& argc, char**& argv)
{
    stage_ = "starting MPI";
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
}

void Ranks::connect()
{
    announce_crashes(topology_.rank, host_);
    stage_ = "finding the ranks of this node";
    find_topology();
    contact_ = contact_master(node_, leaders_, topology_.node == 0, host_);
    if (contact_.sends) {
        master_signs_.emplace(contact_.leaders);
    }
    wait_policy_ = WaitPolicy::for_node(topology_.node_size, cores_here());
    stage_ = "allocating memory shared by a node's ranks";
    channel_.emplace(node_, leaders_, wait_policy_,
                     [this] { topology_.is_root() ? tend() : poll(); });
    open_queue();
    show_life();
    stage_ = "comparing the ranks";
    exchange_infos();
    if (topology_.is_root()) {
        compare_infos();
        watch_.emplace(channel_->life_signs(), infos_);
    } else if (topology_.is_leader()) {
        node_watch_.emplace(channel_->life_signs());
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

void Ranks::open_queue()
{
    auto const bytes = NodeQueue::bytes_for(topology_.workers());
    if (topology_.is_leader()) {
        require_shared_memory(bytes, "the memory for messages");
    }
    queue_.emplace(share(bytes).bytes(), topology_.workers());
    if (topology_.is_leader()) {
        queue_->initialise();
    }
}

void Ranks::show_life()
{
    sign_ = &channel_->life_signs()[static_cast<std::size_t>(topology_.node_rank)];
    sign_->rank = topology_.rank;
    sign_->process = getpid();
    sign_->kernel = std::hash<std::string>{}(kernel_identity());
    check_mpi(MPI_Barrier(node_), "waiting for the ranks of a node");
}

void Ranks::exchange_infos()
{
    RankInfo const own{
        fmt::format("mees {} ({}), MuJoCo {}", version(), git_commit(), engine_version()),
        topology_.rank,
        host_,
        processor_model(),
        kernel_identity(),
        getpid(),
        topology_.is_leader(),
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
        std::string bytes;
        int const rank = receive_bytes(MPI_ANY_SOURCE, Tag::rank_info, bytes);
        auto& other = infos_[static_cast<std::size_t>(rank)];
        try {
            decode(bytes, other);
        } catch (std::exception const&) {
            other = {"a version with other messages", rank, "unknown", {}, {}, 0, false, 1};
        }
        --missing;
    }
}

void Ranks::compare_infos() const
{
    auto const& own = infos_.front();
    auto const odd =
        std::ranges::find_if(infos_, [&](auto const& other) { return other.build != own.build; });
    if (odd != infos_.end()) {
        throw ClusterError{fmt::format("{} runs another program than rank 0", name_of(odd->rank)),
                           fmt::format("{} there, {} on host {}", odd->build, own.build, own.host),
                           "Install the same build on all nodes."};
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

std::string Ranks::name_of(int rank) const
{
    return fmt::format("rank {} on host {}", rank, infos_.at(static_cast<std::size_t>(rank)).host);
}

double Ranks::slowness() const
{
    return slowness_of(topology_.node_size);
}

Ranks::~Ranks()
{
    if (!ended_ && std::uncaught_exceptions() == 0) {
        end(static_cast<int>(ExitCode::failure));
    }
}

void Ranks::end(int code) noexcept
{
    ended_ = true;
    if (!mpi_started_) {
        return;
    }
    if (gave_up() || mpi_failed()) {
        abort_all_ranks(code);
    }
    try {
        if (channel_) {
            shut_down();
        }
        // Ranks that are in MPI_Finalize, or exit without it, do not hear of MPI_Abort.
        constexpr double longest = 10;
        Watchdog const watchdog{longest * slowness(), [code] { _exit(code); }};
        channel_.reset();
        shared_.clear();
        {
            CoarseTimer const coarse;
            MPI_Finalize();
        }
        if (topology_.is_root()) {
            await_processes();
        }
    } catch (NoAnswer const&) {
        abort_all_ranks(code);
    } catch (std::exception const& error) {
        log::error("shutdown failed on rank {}: {}", topology_.rank, error.what());
        abort_all_ranks(code);
    }
}

void Ranks::shut_down()
{
    if (topology_.is_root()) {
        attend(nullptr, {});
        expect_signs(false);
        within(seconds_to_end, [this] {
            channel_->send(CommandKind::shutdown);
            channel_->await_node();
        });
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

SharedMemory const& Ranks::share(std::int64_t bytes)
{
    return shared_.emplace_back(node_, bytes);
}

}  // namespace mees

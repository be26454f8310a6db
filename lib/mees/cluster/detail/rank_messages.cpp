#include "mees/cluster/detail/process.hpp"
#include "mees/cluster/detail/ranks.hpp"
#include "mees/cluster/detail/watchdog.hpp"
#include "mees/core/log.hpp"
#include "mees/core/output.hpp"
#include "mees/core/stop.hpp"
#include "mees/core/stopwatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include <unistd.h>

// Ranks while they run: what they tell each other besides commands and episodes.
namespace mees {
namespace {

constexpr double seconds_between_looks = 0.05;
/// How long a rank may take to answer once the run is to end.
constexpr double seconds_after_stop = 4;
/// The same where nothing can be saved meanwhile: launchers kill rank 0 some seconds after a loss.
constexpr double seconds_after_stop_in_update = 1;
/// Leaders give a sign of life once a second: only then is a rank silent.
constexpr double seconds_between_signs = 1.5;
/// A rank that is silent for this long is named in the log.
constexpr double seconds_until_warning = 30;
/// Leaders wait twice as long for rank 0 as it does for them, and this long: if a rank of its node
/// is lost, or a call of MPI does not return, it has to notice that and to save first.
constexpr double seconds_to_save = 20;

}  // namespace

Command Ranks::next_command()
{
    Stopwatch watch;
    awaits_command_ = true;
    auto const command = channel_->receive();
    awaits_command_ = false;
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
    sign_->beats.fetch_add(1, std::memory_order_relaxed);
    if (int const signal = received_signal(); signal != 0 && !signal_forwarded_) {
        signal_forwarded_ = true;
        send(0, Tag::signal, signal);
    }
    if (topology_.is_leader() && probe(Tag::abort, 0)) {
        channel_->abort(receive<std::uint32_t>(0, Tag::abort));
    }
    double const now = coarse_seconds();
    if (now < next_look_) {
        return;
    }
    next_look_ = now + (topology_.is_leader() ? seconds_between_looks : 1);
    if (node_watch_) {
        double const step = clock_.step();
        report_node(step);
        watch_master(step);
    } else if (!topology_.is_leader()) {
        auto const& leader = channel_->life_signs().front();
        bool const ended = leader.kernel == sign_->kernel && !process_runs(leader.process);
        if (master_signs_) {
            ended ? master_signs_->announce_end() : master_signs_->tend(now);
        }
        if (ended) {
            // Rank 0, or the only connection to it, is gone, and the launcher lets this rank live.
            _exit(static_cast<int>(ExitCode::failure));
        }
    }
}

/// Leaders of other nodes: rank 0 may be lost, and the launcher let this rank live.
void Ranks::watch_master(double step)
{
    receive_signs(contact_.sender, master_watch_);
    // Alone on its node, rank 0 sends none between commands.
    bool const due = signs_expected_ && (contact_.sender != 0 || !awaits_command_);
    double const patience = silence_limit > 0 ? 2 * silence_limit + seconds_to_save : 0;
    auto const verdict = master_watch_.look(step, due, patience);
    if (verdict == MasterWatch::Verdict::lives) {
        return;
    }
    bool const ended = verdict == MasterWatch::Verdict::ended;
    Error const error{
        ExitCode::failure,
        ended ? fmt::format("rank 0 on host {} has ended", contact_.host)
              : fmt::format("rank 0 on host {} has not been heard of for {:.0f} s", contact_.host,
                            master_watch_.silent_seconds()),
        ended ? std::string{"its process no longer exists"}
              : fmt::format("its host is stopped or unreachable; cluster.silence_seconds is {}",
                            silence_limit),
        "Check that host, then run the same command again to resume from the last checkpoint."};
    print_error(program_invocation_short_name,
                fmt::format("rank {} on host {}: {}", topology_.rank, host_, error.what()));
    abort_all_ranks(static_cast<int>(ExitCode::failure));
}

/// Leaders of other nodes: a word to rank 0 once a second, and at once if a rank has ended. Never
/// blocks: rank 0 may be busy for long.
void Ranks::report_node(double step)
{
    since_report_ += step;
    auto const suspect = node_watch_->look(step);
    bool const urgent = suspect.ended != 0 && !reported_end_;
    if (since_report_ < 1 && !urgent) {
        return;
    }
    int sent = 1;
    if (report_request_ != MPI_REQUEST_NULL) {
        check_mpi(MPI_Test(&report_request_, &sent, MPI_STATUS_IGNORE), "reporting to rank 0");
    }
    if (sent != 0) {
        report_ = encode(suspect);
        reported_end_ = suspect.ended != 0;
        since_report_ = 0;
        check_mpi(MPI_Isend(report_.data(), static_cast<int>(report_.size()), MPI_BYTE, 0,
                            static_cast<int>(Tag::suspect), MPI_COMM_WORLD, &report_request_),
                  "reporting to rank 0");
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

void Ranks::collect(std::vector<std::string>& parts)
{
    std::vector<bool> arrived(parts.size());
    Backoff backoff{wait_policy_};
    AwakeClock clock;
    double waited = 0;
    double const limit = start_up_limit() * slowness();
    for (auto missing = parts.size() - 1; missing > 0;) {
        receive_reports();
        throw_failure();
        tend();
        if (probe(Tag::gathered)) {
            std::string part;
            auto const source = static_cast<std::size_t>(
                receive_bytes(MPI_ANY_SOURCE, Tag::gathered, part, [this] { tend(); }));
            parts[source] = std::move(part);
            arrived[source] = true;
            --missing;
            waited = 0;
            continue;
        }
        waited += clock.step();
        if (limit > 0 && waited >= limit) {
            auto const first = std::find(arrived.begin() + 1, arrived.end(), false);
            throw WorkerLost{
                fmt::format("{} has not answered for {:.0f} s",
                            name_of(static_cast<int>(first - arrived.begin())), waited),
                fmt::format("{} of {} ranks have not prepared the run", missing, parts.size()),
                "Check that host; set MEES_START_SECONDS to wait longer."};
        }
        backoff.pause();
    }
}

void Ranks::attend(StopToken* stop, std::function<void()> while_waiting)
{
    stop_ = stop;
    while_waiting_ = std::move(while_waiting);
    unanswered_ = 0;
}

void Ranks::expect_signs(bool expected)
{
    signs_expected_ = expected;
    next_warning_ = 0;
    master_watch_.restart();
    if (watch_) {
        watch_->restart();
    }
}

void Ranks::within(double seconds, std::function<void()> const& body)
{
    answer_limit_ = seconds * slowness();
    unanswered_ = 0;
    body();
    answer_limit_ = 0;
}

void Ranks::give_up(std::exception_ptr cause)
{
    if (!cause_) {
        cause_ = std::move(cause);
    }
}

std::optional<WorkerLost> Ranks::find_lost()
{
    for (int i = 0; i < 10; ++i) {
        receive_suspects_of_leaders();
        if (auto const suspect = watch_->look(0.1); suspect.rank >= 0 && suspect.ended != 0) {
            return lost(suspect);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{100});
    }
    return std::nullopt;
}

/// After an MPI failure: one by one, because a call for any of them fails if one is lost.
void Ranks::receive_suspects_of_leaders()
{
    for (auto const& info : infos_) {
        try {
            while (info.leads_node && info.rank != 0 && probe(Tag::suspect, info.rank)) {
                receive_suspect(info.rank);
            }
        } catch (ClusterError const& error) {
            log::debug("no report of {}: {}", name_of(info.rank), error.what());
        }
    }
}

void Ranks::receive_suspect(int source)
{
    std::string bytes;
    int const leader = receive_bytes(source, Tag::suspect, bytes);
    Suspect report;
    decode(bytes, report);
    watch_->heard(leader, report);
}

std::string Ranks::describe_stuck_call() const
{
    int const peer = present_mpi_call().peer;
    int const silent = silent_rank_;
    auto const suspect = peer > 0 ? name_of(peer) : silent > 0 ? name_of(silent) : std::string{};
    return Error{
        ExitCode::failure, fmt::format("rank 0 on host {} does not return from an MPI call", host_),
        suspect.empty()
            ? fmt::format("another rank may be lost; cluster.silence_seconds is {}", silence_limit)
            : fmt::format("{} does not answer; cluster.silence_seconds is {}", suspect,
                          silence_limit),
        "Check that host, then run the same command again to resume from the saved state."}
        .what();
}

void Ranks::require_all_ranks() const
{
    if (cause_) {
        std::rethrow_exception(cause_);
    }
}

void Ranks::tend()
{
    double const now = coarse_seconds();
    if (now < next_look_) {
        return;
    }
    next_look_ = now + seconds_between_looks;
    if (master_signs_) {
        master_signs_->tend(now);
    }
    receive_reports();
    while (probe(Tag::suspect)) {
        receive_suspect(MPI_ANY_SOURCE);
    }
    double const step = clock_.step();
    auto const suspect = watch_->look(step);
    silent_rank_ = suspect.silent_seconds > seconds_between_signs ? suspect.rank : -1;
    if (while_waiting_) {
        while_waiting_();
    }
    bool const stopping = stop_ != nullptr && stop_->requested();
    if (stopping || failed() || answer_limit_ > 0) {
        unanswered_ += step;
        double const patience = while_waiting_ ? seconds_after_stop : seconds_after_stop_in_update;
        double const limit = answer_limit_ > 0 ? answer_limit_ : patience * slowness();
        if (unanswered_ >= limit || suspect.ended != 0) {
            log::warning("{} does not answer; the run ends without it",
                         suspect.rank < 0 ? "a rank" : name_of(suspect.rank));
            throw NoAnswer{lost_episodes(suspect)};
        }
    } else {
        judge(suspect);
    }
}

void Ranks::judge(Suspect const& suspect)
{
    if (suspect.rank >= 0 && suspect.ended != 0) {
        throw lost(suspect);
    }
    if (!signs_expected_) {
        return;
    }
    double const warning_after = silence_limit > 0
                                     ? std::min(seconds_until_warning, silence_limit / 2)
                                     : seconds_until_warning;
    if (suspect.silent_seconds < warning_after) {
        next_warning_ = warning_after;
    } else if (silence_limit > 0 && suspect.silent_seconds >= silence_limit) {
        throw lost(suspect);
    } else if (suspect.silent_seconds >= next_warning_) {
        log::warning("{} has not answered for {:.0f} s", name_of(suspect.rank),
                     suspect.silent_seconds);
        next_warning_ = 2 * suspect.silent_seconds;
    }
}

/// What a rank was running when its process ended.
std::vector<LostEpisode> Ranks::lost_episodes(Suspect const& suspect) const
{
    std::vector<LostEpisode> lost;
    for (auto const episode : suspect.episodes) {
        lost.push_back({.index = episode, .worker = name_of(suspect.rank)});
    }
    return lost;
}

WorkerLost Ranks::lost(Suspect const& suspect) const
{
    auto const name = name_of(suspect.rank);
    constexpr char const* remedy =
        "Check that host, then run the same command again to resume from the saved state.";
    if (suspect.ended == 0) {
        return {fmt::format("{} has not answered for {:.0f} s", name, suspect.silent_seconds),
                fmt::format("it is stopped, swapped out or unreachable; cluster.silence_seconds is "
                            "{}",
                            silence_limit),
                remedy};
    }
    return {fmt::format("{} has ended", name), "its process no longer exists", remedy,
            lost_episodes(suspect)};
}

}  // namespace mees

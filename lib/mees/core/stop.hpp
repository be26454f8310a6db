#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace mees {

enum class StopReason { none, signal, time_limit, stop_file };

/// Installs handlers for SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGHUP, SIGXCPU and SIGPWR that record
/// the signal; SIGHUP stays ignored where it is (nohup). SIGCONT is counted. SIGPIPE and SIGXFSZ
/// are ignored: writing then fails with an error.
///
/// Call it before MPI starts: a signal during start-up must not kill the rank. SIGTERM, SIGINT and
/// SIGHUP are obeyed at once until `signals_are_polled`: nothing has been computed yet, and the
/// process ends with ExitCode::stopped_early.
void install_signal_handlers();

/// From now on received_signal() is called often, and signals are only recorded.
void signals_are_polled();

/// The last recorded signal, or 0. Async-signal-safe to set, cheap to read.
[[nodiscard]] int received_signal();

/// Records a signal: for tests, and for the cluster when another rank received one.
void note_signal(int signal);

/// How often this process was continued (SIGCONT). Launchers and SLURM also send that to processes
/// that they are about to end; it does not stop a run.
[[nodiscard]] unsigned continuations();

/// Returns at the next recorded signal, SIGCONT or `end_wait_for_signal`, or after `longest`; at
/// once if there was one since the last call. For one thread of the process.
void wait_for_signal(std::chrono::milliseconds longest);
void end_wait_for_signal();

/// When a run must have ended, and how long before it begins to stop.
struct TimeLimit {
    std::chrono::steady_clock::time_point end;
    std::chrono::steady_clock::duration margin{};
};

/// Answers "should this run end early?" from signals, a time limit and the presence of a file.
/// Checks the clock and the file at most every 200 ms; a call is cheap.
class StopToken {
  public:
    using Clock = std::chrono::steady_clock;

    StopToken() = default;
    StopToken(std::optional<TimeLimit> limit, std::filesystem::path stop_file);

    /// `seconds` tells how long stopping will take, as far as is known: the margin is at least
    /// that.
    void reserve(std::function<double()> seconds) { reserved_ = std::move(seconds); }
    [[nodiscard]] bool requested();
    [[nodiscard]] StopReason reason() const { return reason_; }
    /// "signal SIGUSR1", "the time limit", "the file runs/x/STOP".
    [[nodiscard]] std::string describe() const;

  private:
    [[nodiscard]] bool is_late(Clock::time_point now) const;

    std::optional<TimeLimit> limit_;
    std::function<double()> reserved_;
    std::filesystem::path stop_file_;
    Clock::time_point next_check_{};
    StopReason reason_{StopReason::none};
    int signal_{0};
};

}  // namespace mees

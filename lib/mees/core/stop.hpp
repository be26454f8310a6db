#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace mees {

enum class StopReason { none, signal, time_limit, stop_file };

/// Installs handlers for SIGUSR1, SIGUSR2, SIGTERM and SIGINT that only record the signal.
/// Call it before MPI starts: a signal during start-up must not kill the rank.
void install_signal_handlers();

/// The last recorded signal, or 0. Async-signal-safe to set, cheap to read.
[[nodiscard]] int received_signal();

/// Records a signal: for tests, and for the cluster when another rank received one.
void note_signal(int signal);

/// Answers "should this run end early?" from signals, a deadline and the presence of a file.
/// Checks the clock and the file at most every 200 ms; a call is cheap.
class StopToken {
  public:
    using Clock = std::chrono::steady_clock;

    StopToken() = default;
    StopToken(std::optional<Clock::time_point> deadline, std::filesystem::path stop_file);

    [[nodiscard]] bool requested();
    [[nodiscard]] StopReason reason() const { return reason_; }
    /// "signal SIGUSR1", "the time limit", "the file runs/x/STOP".
    [[nodiscard]] std::string describe() const;

  private:
    std::optional<Clock::time_point> deadline_;
    std::filesystem::path stop_file_;
    Clock::time_point next_check_{};
    StopReason reason_{StopReason::none};
    int signal_{0};
};

}  // namespace mees

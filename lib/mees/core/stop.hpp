#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace mees {

enum class StopReason { none, signal, time_limit, stop_file, failure };

/// Installs handlers for SIGUSR1, SIGUSR2, SIGTERM and SIGINT that only note the signal.
/// Call it before the ranks find each other: a signal during start-up must not kill the rank.
void install_signal_handlers();

/// The last signal noted by the handlers, or 0. Async-signal-safe to set, cheap to read.
[[nodiscard]] int received_signal();

/// Lets tests (and the cluster, for a signal another rank got) note a signal.
void note_signal(int signal);

/// Answers "should this run end early?" from signals, a deadline and the presence of a file.
/// The clock and the file are looked at no more than every 200 ms; asking is cheap.
class StopToken {
  public:
    using Clock = std::chrono::steady_clock;

    StopToken() = default;
    StopToken(std::optional<Clock::time_point> deadline, std::filesystem::path stop_file);

    [[nodiscard]] bool requested();
    [[nodiscard]] StopReason reason() const { return reason_; }
    /// "signal USR1", "the time limit", "the file runs/x/STOP".
    [[nodiscard]] std::string describe() const;

  private:
    std::optional<Clock::time_point> deadline_;
    std::filesystem::path stop_file_;
    Clock::time_point next_look_{};
    StopReason reason_{StopReason::none};
    int signal_{0};
};

}  // namespace mees

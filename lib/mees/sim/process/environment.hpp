#pragma once

#include "mees/sim/process/child.hpp"
#include "mees/sim/process/protocol.hpp"
#include "mees/sim/task.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mees::process {

/// How an environment is started.
struct EnvironmentSetup {
    std::vector<std::string> command;
    double step_timeout_seconds{60};
    std::int64_t episode_steps{0};    ///< 0: the environment's own
    std::int64_t batch{1};            ///< episodes at once
    std::vector<std::string> damage;  ///< words
};

/// What an environment returns for one control step.
struct StepReply {
    std::vector<double> observation;
    std::vector<double> terms;
    bool ended{false};
};

/// An environment in another process: requests and replies (docs/process-domain.md).
///
/// Everything it returns is finite and has the sizes that the environment stated. Throws
/// EnvironmentLost if the process ends, SimulationError if it does not answer in time or answers
/// something else, EpisodeDropped if `watch` says so; after any of these, no further request is
/// possible. Messages name the command, how it ended and its last lines of output.
class Environment {
  public:
    /// Starts the process and waits for its statement. Throws ConfigError if the environment
    /// refuses the damage.
    explicit Environment(EnvironmentSetup setup);

    [[nodiscard]] Hello const& hello() const { return hello_; }
    void watch(std::function<bool()> const* dropped) { dropped_ = dropped; }

    /// `slot` is the episode, of those that the process runs at once.
    void reset(std::uint32_t slot, std::uint32_t seed, std::span<double> observation);
    /// `queue` for each episode that steps, then `step`; the replies are in the order of the slots.
    void queue(std::uint32_t slot, std::span<double const> action);
    void step(std::span<StepReply* const> replies);
    void end(std::uint32_t slot, std::span<double> bc);
    [[nodiscard]] RenderedFrame render(std::uint32_t slot);
    /// Asks the process to end.
    void close();

  private:
    [[nodiscard]] std::span<std::byte const> exchange(Kind kind, double seconds);
    void require(Trouble trouble, Kind kind, double seconds);
    void require_size(std::span<std::byte const> payload, std::size_t size, Kind kind);
    void require_finite(std::span<double const> values, char const* what);
    [[noreturn]] void fail(std::string const& problem);
    [[noreturn]] void fail_by_itself(std::span<std::byte const> payload);

    EnvironmentSetup setup_;
    std::unique_ptr<Child> child_;
    std::function<bool()> const* dropped_{nullptr};
    Hello hello_;
    Writer request_;
    std::int64_t queued_{0};
    std::vector<std::byte> reply_;
};

}  // namespace mees::process

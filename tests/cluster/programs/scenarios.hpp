#pragma once

#include "rollout/fake_domain.hpp"

#include "mees/cluster/runtime.hpp"
#include "mees/cluster/shared_noise_table.hpp"
#include "mees/cluster/with_evaluator.hpp"
#include "mees/core/error.hpp"
#include "mees/core/stop.hpp"

#include <functional>
#include <map>
#include <string>

// Shared by the scenarios of cluster_scenarios.
namespace mees::test {

using Scenarios = std::map<std::string, std::function<ExitCode(ClusterRuntime&)>>;

/// Scenarios of ranks that freeze, differ or fail (lost_ranks.cpp).
[[nodiscard]] Scenarios lost_rank_scenarios();

/// Scenarios in which MPI itself fails, stalls or lies (broken_mpi.cpp).
[[nodiscard]] Scenarios broken_mpi_scenarios();
/// For those of them in which it does so before MPI has started.
void break_mpi_at_start(std::string const& scenario);

inline constexpr std::int64_t table_size = 100'000;

inline void require(bool condition, std::string const& what)
{
    if (!condition) {
        throw ClusterError{"scenario: " + what, "requirement not met", ""};
    }
}

/// Runs `body` on rank 0 with an evaluator of that domain and the noise table.
inline ExitCode with_fake(ClusterRuntime& runtime, FakeOptions options,
                          std::function<void(Evaluator&, NoiseSource&)> const& body)
{
    SharedNoiseTable noise{runtime, table_size, 42, 2};
    return with_evaluator(runtime, fake_setup(options), noise.values(), 2,
                          [&](Evaluator& evaluator) {
                              body(evaluator, noise);
                              return ExitCode::success;
                          });
}

inline FakeOptions const long_episodes{.steps = 10'000,
                                       .step_time = std::chrono::microseconds{3000}};

inline ExitCode run_long(ClusterRuntime& runtime, FakeOptions const& options = long_episodes)
{
    return with_fake(runtime, options, [](Evaluator& evaluator, NoiseSource&) {
        StopToken stop;
        (void)evaluator.evaluate(fake_batch(50, table_size), stop);
    });
}

}  // namespace mees::test

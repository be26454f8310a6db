#include "scenarios.hpp"

#include "mees/core/stopwatch.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/qd/novelty_archive.hpp"
#include "mees/rollout/threads.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>

#include <unistd.h>

namespace mees::test {
namespace {

/// This rank stops like one whose memory is swapped out, or whose machine is frozen.
void freeze_after(unsigned seconds)
{
    std::signal(SIGALRM, [](int) { (void)std::raise(SIGSTOP); });
    alarm(seconds);
}

/// A worker freezes in the middle of a batch: the run ends with its name after the limit.
ExitCode worker_freezes(ClusterRuntime& runtime)
{
    if (runtime.rank() == runtime.size() - 1) {
        freeze_after(1);
    }
    runtime.set_silence_limit(3);
    return run_long(runtime);
}

/// The same with a stop request: what is to be saved is saved at once, and the batch is dropped.
ExitCode worker_freezes_then_stop(ClusterRuntime& runtime)
{
    if (runtime.rank() == runtime.size() - 1) {
        freeze_after(1);
    }
    SharedNoiseTable const noise{runtime, table_size, 42, 2};
    return with_evaluator(
        runtime, fake_setup(long_episodes), noise.values(), 2, [&](Evaluator& evaluator) {
            StopToken stop{TimeLimit{StopToken::Clock::now() + std::chrono::milliseconds{2500}},
                           {}};
            Stopwatch watch;
            double saved_after = 0;
            evaluator.while_waiting([&] {
                if (stop.requested() && saved_after == 0) {
                    saved_after = watch.seconds();
                }
            });
            require(!evaluator.evaluate(fake_batch(50, table_size), stop), "the batch was dropped");
            require(watch.seconds() > 5, "stragglers are waited for");
            require(watch.seconds() < 9, "but not for long");
            require(saved_after > 0 && saved_after < 3.5, "the state can be saved at once");
            return ExitCode::stopped_early;
        });
}

/// A rank that is stopped for less than the limit is waited for, whatever else happens; rank 0 for
/// longer.
ExitCode rank_pauses(ClusterRuntime& runtime, int rank, double limit, unsigned seconds)
{
    runtime.set_silence_limit(limit);
    if (runtime.rank() == rank) {
        if (fork() == 0) {
            sleep(1);
            kill(getppid(), SIGSTOP);
            sleep(seconds);
            kill(getppid(), SIGCONT);
            _exit(0);
        }
    }
    FakeOptions const options{.steps = 400, .step_time = std::chrono::microseconds{3000}};
    return with_fake(runtime, options, [](Evaluator& evaluator, NoiseSource&) {
        StopToken stop;
        require(evaluator.evaluate(fake_batch(1, table_size), stop).has_value(), "evaluated");
    });
}

/// Other nodes wait for rank 0 for 2 * 3 + 20 s, unless it is busy with an update.
constexpr double short_limit = 3;
constexpr unsigned longer_than_patience = 30;

ExitCode master_is_busy(ClusterRuntime& runtime)
{
    runtime.set_silence_limit(short_limit);
    return with_fake(runtime, {}, [](Evaluator& evaluator, NoiseSource&) {
        StopToken stop;
        for (unsigned const seconds : {longer_than_patience, 0U}) {
            require(evaluator.evaluate(fake_batch(9, table_size), stop).has_value(), "evaluated");
            sleep(seconds);
        }
    });
}

/// For a script that kills ranks.
ExitCode train_with_short_limit(ClusterRuntime& runtime)
{
    runtime.set_silence_limit(short_limit);
    return with_fake(runtime, long_episodes, [](Evaluator& evaluator, NoiseSource&) {
        StopToken stop;
        evaluator.while_waiting([watch = Stopwatch{}, told = false]() mutable {
            if (!told && watch.seconds() > 1) {
                fmt::print("begun\n");
                std::fflush(stdout);
                told = true;
            }
        });
        (void)evaluator.evaluate(fake_batch(50, table_size), stop);
    });
}

/// A worker freezes while noise is added up: rank 0 completes the sum alone, and reports the worker
/// afterwards.
ExitCode worker_freezes_in_sum(ClusterRuntime& runtime)
{
    if (runtime.rank() == runtime.size() - 1) {
        freeze_after(1);
    }
    runtime.set_silence_limit(3);
    auto const table = make_noise_table(table_size, 42, 1);
    return with_fake(runtime, long_episodes, [&](Evaluator& evaluator, NoiseSource& noise) {
        auto const offsets = fake_batch(3000, table_size - 5000).groups[1].offsets;
        std::vector<float> const weights(offsets.size(), 0.5F);
        auto const expected = ThreadNoise{table, 1}.weighted_sum(offsets, weights, 5000);
        for (Stopwatch watch; watch.seconds() < 3;) {
            require(noise.weighted_sum(offsets, weights, 5000) == expected, "the same sum");
        }
        StopToken stop;
        (void)evaluator.evaluate(fake_batch(50, table_size), stop);
    });
}

/// The same for novelties.
ExitCode worker_freezes_in_novelties(ClusterRuntime& runtime)
{
    if (runtime.rank() == runtime.size() - 1) {
        freeze_after(1);
    }
    runtime.set_silence_limit(3);
    return with_fake(runtime, long_episodes, [&](Evaluator& evaluator, NoiseSource& noise) {
        NoveltyArchive archive{2, {}};
        archive.add(std::vector{0.0, 0.0});
        archive.add(std::vector{6.0, 8.0});
        std::vector<double> const bcs(10'000, 0.0);
        // Distances 0 and 10.
        std::vector<double> const expected(5'000, 5.0);
        for (Stopwatch watch; watch.seconds() < 3;) {
            require(noise.novelties(archive, bcs) == expected, "the same novelties");
        }
        StopToken stop;
        (void)evaluator.evaluate(fake_batch(50, table_size), stop);
    });
}

/// Rank 0 fails in the middle of a batch, while the others have episodes.
ExitCode master_throws(ClusterRuntime& runtime)
{
    return with_fake(runtime, long_episodes, [](Evaluator& evaluator, NoiseSource&) {
        StopToken stop;
        evaluator.while_waiting([] { throw SimulationError{"rank 0 failed", "a test", ""}; });
        (void)evaluator.evaluate(fake_batch(50, table_size), stop);
    });
}

/// The last rank would compute something else.
ExitCode odd_rank(ClusterRuntime& runtime, FakeOptions const& odd)
{
    bool const is_odd = runtime.rank() == runtime.size() - 1;
    return with_fake(runtime, is_odd ? odd : FakeOptions{.model_sha256 = "aa"},
                     [](Evaluator&, NoiseSource&) {});
}

}  // namespace

Scenarios lost_rank_scenarios()
{
    return {
        {"worker_freezes", worker_freezes},
        {"worker_freezes_then_stop", worker_freezes_then_stop},
        {"worker_freezes_in_sum", worker_freezes_in_sum},
        {"worker_freezes_in_novelties", worker_freezes_in_novelties},
        {"worker_pauses", [](ClusterRuntime& runtime) { return rank_pauses(runtime, 1, 8, 4); }},
        {"master_pauses", [](ClusterRuntime& runtime) { return rank_pauses(runtime, 0, 2, 4); }},
        {"master_pauses_for_long",
         [](ClusterRuntime& runtime) {
             return rank_pauses(runtime, 0, short_limit, longer_than_patience);
         }},
        {"master_is_busy", master_is_busy},
        {"train_with_short_limit", train_with_short_limit},
        {"master_throws", master_throws},
        {"other_model",
         [](ClusterRuntime& runtime) { return odd_rank(runtime, {.model_sha256 = "bb"}); }},
        {"other_numbers",
         [](ClusterRuntime& runtime) {
             return odd_rank(runtime, {.initial_fitness = 1e-9, .model_sha256 = "aa"});
         }},
    };
}

}  // namespace mees::test

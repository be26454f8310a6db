// Cooperation of ranks, one scenario per run: mpirun -n N cluster_scenarios NAME. Exits with 0 if
// every requirement was met, 1 with the one that was not.
#include "scenarios.hpp"

#include "mees/cluster/runtime.hpp"
#include "mees/cluster/shared_noise_table.hpp"
#include "mees/cluster/with_evaluator.hpp"
#include "mees/core/stop.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/qd/novelty_archive.hpp"
#include "mees/rollout/threads.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>

#include <unistd.h>

using namespace mees;
using namespace mees::test;

namespace {

bool equal(BatchResult const& a, BatchResult const& b)
{
    bool same = a.outcomes == b.outcomes && a.bcs == b.bcs
                && a.observations.size() == b.observations.size();
    for (std::size_t i = 0; same && i < a.observations.size(); ++i) {
        auto const& left = a.observations[i];
        auto const& right = b.observations[i];
        same = left.episode == right.episode && left.moments.count == right.moments.count
               && left.moments.sum == right.moments.sum
               && left.moments.sum_of_squares == right.moments.sum_of_squares;
    }
    return same;
}

ExitCode same_bits(ClusterRuntime& runtime)
{
    FakeOptions const options{.steps = 60, .fall_radius = 8};
    auto const text = runtime.broadcast(runtime.is_master() ? std::string(3'000'000, 'x') : "");
    require(text == std::string(3'000'000, 'x'), "every rank got the string");
    auto const table = make_noise_table(table_size, 42, 1);
    return with_fake(runtime, options, [&](Evaluator& evaluator, NoiseSource& noise) {
        require(std::ranges::equal(noise.values(), table), "the shared table is the table");
        ThreadEvaluator alone{fake_setup(options), table, 1};
        ThreadNoise alone_noise{table, 1};
        StopToken stop;
        // Batches of several sizes: fewer episodes than ranks, and more than the first buffer
        // holds.
        std::int64_t generation = 0;
        for (std::int64_t const pairs : {1, 30, 3000, 2, 200}) {
            auto const batch = fake_batch(pairs, table_size, ++generation);
            auto const together = evaluator.evaluate(batch, stop);
            require(together.has_value(), "the batch was evaluated");
            require(equal(*together, *alone.evaluate(batch, stop)),
                    fmt::format("same outcomes for {} pairs", pairs));
        }
        for (std::int64_t const size : {1, 40, 5000}) {
            auto const offsets = fake_batch(3000, table_size - 5000).groups[1].offsets;
            std::vector<float> weights(offsets.size());
            Stream stream{1, Purpose::test, Generation{0}, size};
            stream.fill_normal(weights);
            require(noise.weighted_sum(offsets, weights, size)
                        == alone_noise.weighted_sum(offsets, weights, size),
                    fmt::format("same sums of {} parameters", size));
        }
        std::int64_t episodes = 0;
        for (auto const& worker : evaluator.timing()) {
            episodes += worker.episodes;
        }
        require(episodes == 5 * 5 + 4 * (1 + 30 + 3000 + 2 + 200), "every episode was run once");
    });
}

/// Archives that grow, are replaced and have a window: the ranks have to follow.
ExitCode same_novelties(ClusterRuntime& runtime)
{
    return with_fake(runtime, {}, [](Evaluator& evaluator, NoiseSource& noise) {
        Stream stream{3, Purpose::test, Generation{0}};
        auto const drawn = [&stream](std::size_t rows) {
            std::vector<double> values(3 * rows);
            std::ranges::generate(values, [&] { return stream.uniform(); });
            return values;
        };
        NoveltySettings const few{.k = 4};
        for (auto const& settings :
             {few, NoveltySettings{.k = 4, .metric = NoveltyMetric::squared},
              NoveltySettings{.k = 40}, NoveltySettings{.k = 4, .window = 90}, few}) {
            NoveltyArchive archive{3, settings};
            // 999 rows are too few to share; the last archive has nothing in common with the first.
            for (std::size_t const rows : {1000, 5003, 999, 1001}) {
                auto const added = drawn(rows == 999 ? 1 : 70);
                for (std::size_t i = 0; i < added.size(); i += 3) {
                    archive.add(std::span{added}.subspan(i, 3));
                }
                auto const bcs = drawn(rows);
                auto const together = noise.novelties(archive, bcs);
                require(together.size() == rows, "a novelty for each row");
                for (std::size_t i = 0; i < rows; ++i) {
                    require(together[i] == archive.novelty(std::span{bcs}.subspan(3 * i, 3)),
                            fmt::format("the same novelty of row {} of {}", i, rows));
                }
            }
            StopToken stop;
            require(evaluator.evaluate(fake_batch(3, table_size), stop).has_value(), "evaluated");
        }
        auto const bcs = drawn(2000);
        require(noise.novelties(NoveltyArchive{3, few}, bcs) == std::vector<double>(2000, 0.0),
                "nothing is novel compared with nothing");
    });
}

ExitCode gather(ClusterRuntime& runtime)
{
    auto const part = [](int rank) {
        return std::string(static_cast<std::size_t>(rank * 100'000), static_cast<char>('a' + rank));
    };
    for (int repeat = 0; repeat < 2; ++repeat) {
        auto const all = runtime.gather(part(runtime.rank()));
        require(all.size() == (runtime.is_master() ? static_cast<std::size_t>(runtime.size()) : 0),
                "rank 0 gets one string per rank");
        for (std::size_t i = 0; i < all.size(); ++i) {
            require(all[i] == part(static_cast<int>(i)), "strings by rank");
        }
    }
    return ExitCode::success;
}

/// Prints which memory holds this rank's noise table: "table HOST DEVICE:FILE", as the kernel names
/// it.
ExitCode name_table(ClusterRuntime& runtime)
{
    SharedNoiseTable const noise{runtime, table_size, 42, 0};
    auto const address = reinterpret_cast<std::uintptr_t>(noise.values().data());
    std::ifstream maps{"/proc/self/maps"};
    for (std::string line; std::getline(maps, line);) {
        std::istringstream fields{line};
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        std::string access;
        std::string offset;
        std::string device;
        std::string file;
        fields >> std::hex >> begin >> dash >> end >> access >> offset >> device >> file;
        if (begin <= address && address < end) {
            fmt::print("table {} {}:{}\n", runtime.host(), device, file);
            std::fflush(stdout);
        }
    }
    runtime.barrier();
    return ExitCode::success;
}

ExitCode stop_at_once(ClusterRuntime& runtime)
{
    return with_fake(runtime, long_episodes, [](Evaluator& evaluator, NoiseSource&) {
        for (int repeat = 0; repeat < 3; ++repeat) {
            StopToken stop{TimeLimit{StopToken::Clock::now() + std::chrono::milliseconds{300}}, {}};
            Stopwatch watch;
            require(!evaluator.evaluate(fake_batch(50, table_size), stop), "the batch was dropped");
            require(watch.seconds() < 1.3, "a stop takes less than a second");
        }
    });
}

ExitCode signal_at_worker(ClusterRuntime& runtime)
{
    if (runtime.rank() == runtime.size() - 1) {
        std::signal(SIGALRM, [](int) { std::raise(SIGUSR1); });
        alarm(1);
    }
    return with_fake(runtime, long_episodes, [](Evaluator& evaluator, NoiseSource&) {
        StopToken stop;
        Stopwatch watch;
        require(!evaluator.evaluate(fake_batch(50, table_size), stop), "the batch was dropped");
        require(watch.seconds() < 2.0, "a worker's signal stops the batch within a second");
        require(stop.describe() == "signal SIGUSR1", stop.describe());
    });
}

/// A task whose first episodes take long: nothing may be queued behind them at the end.
ExitCode uneven_episodes(ClusterRuntime& runtime)
{
    FakeOptions const options{
        .steps = 40, .fall_radius = 2.5, .step_time = std::chrono::microseconds{2000}};
    return with_fake(runtime, options, [&](Evaluator& evaluator, NoiseSource&) {
        StopToken stop;
        auto const result = evaluator.evaluate(fake_batch(60, table_size), stop);
        std::int64_t steps = 0;
        for (auto const& outcome : result->outcomes) {
            steps += outcome.steps;
        }
        Stopwatch watch;
        require(evaluator.evaluate(fake_batch(60, table_size), stop).has_value(), "evaluated");
        double const even = static_cast<double>(steps) * 2e-3 / (runtime.size() - 1);
        double const longest = 40 * 2e-3;
        require(watch.seconds() < 1.3 * even + longest + 0.2,
                fmt::format("{:.2f} s for work of {:.2f} s", watch.seconds(), even));
    });
}

ExitCode bad_configuration(ClusterRuntime& runtime)
{
    if (runtime.is_master()) {
        throw ConfigError{"no such thing", "a test", "Try another."};
    }
    (void)runtime.broadcast("");
    return ExitCode::failure;
}

ExitCode worker_cannot_begin(ClusterRuntime& runtime)
{
    if (runtime.rank() == 2) {
        throw FileError{"no model here", "a test", ""};
    }
    return with_fake(runtime, {}, [](Evaluator&, NoiseSource&) {});
}

ExitCode worker_throws(ClusterRuntime& runtime)
{
    return with_fake(runtime, {.steps = 1000, .throw_radius = 5},
                     [](Evaluator& evaluator, NoiseSource&) {
                         StopToken stop;
                         (void)evaluator.evaluate(fake_batch(50, table_size), stop);
                     });
}

ExitCode worker_dies(ClusterRuntime& runtime, int signal, FakeOptions options = long_episodes)
{
    if (runtime.rank() == 1) {
        std::signal(
            SIGALRM,
            signal == SIGKILL ? [](int) { (void)std::raise(SIGKILL); } : [](int) { std::abort(); });
        alarm(1);
    }
    return run_long(runtime, options);
}

/// Dies while it runs several episodes at once.
ExitCode worker_with_many_killed(ClusterRuntime& runtime)
{
    auto options = long_episodes;
    options.batch = 4;
    return worker_dies(runtime, SIGKILL, options);
}

Scenarios const own_scenarios{
    {"same_bits", same_bits},
    {"same_novelties", same_novelties},
    {"name_table", name_table},
    {"gather", gather},
    {"stop", stop_at_once},
    {"signal_at_worker", signal_at_worker},
    {"uneven_episodes", uneven_episodes},
    {"bad_configuration", bad_configuration},
    {"worker_cannot_begin", worker_cannot_begin},
    {"worker_throws", worker_throws},
    {"worker_aborts", [](ClusterRuntime& runtime) { return worker_dies(runtime, SIGABRT); }},
    {"worker_killed", [](ClusterRuntime& runtime) { return worker_dies(runtime, SIGKILL); }},
    {"worker_with_many_killed", worker_with_many_killed},
    {"exit_75", [](ClusterRuntime&) { return ExitCode::stopped_early; }},
    {"long", [](ClusterRuntime& runtime) { return run_long(runtime); }},
    {"large_table",
     [](ClusterRuntime& runtime) {
         SharedNoiseTable const table{runtime, 16'000'000, 1, 0};
         return ExitCode::success;
     }},
};

}  // namespace

int main(int argc, char** argv)
{
    auto scenarios = own_scenarios;
    scenarios.merge(lost_rank_scenarios());
    scenarios.merge(broken_mpi_scenarios());
    auto const found = scenarios.find(argc > 1 ? argv[1] : "");
    if (found == scenarios.end()) {
        fmt::print(stderr, "cluster_scenarios: error: unknown scenario\n");
        return 2;
    }
    install_signal_handlers();
    signals_are_polled();
    break_mpi_at_start(found->first);
    return run_on_cluster("cluster_scenarios", argc, argv, found->second);
}

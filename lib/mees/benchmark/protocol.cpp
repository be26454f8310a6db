#include "mees/benchmark/bench.hpp"
#include "mees/benchmark/detail/subjects.hpp"
#include "mees/benchmark/goals.hpp"
#include "mees/benchmark/spawn.hpp"
#include "mees/cluster/shared_noise_table.hpp"
#include "mees/cluster/with_evaluator.hpp"
#include "mees/core/stop.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/sim/tasks/sleep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>

namespace mees::bench {
namespace {

constexpr std::int64_t table_size = 10'000'000;
constexpr std::int64_t episodes_each = 20;

/// When the last of `workers` would finish if each started the next episode as soon as it is idle.
double scheduling_bound(Settings const& settings, Batch const& batch, int workers)
{
    std::priority_queue<double, std::vector<double>, std::greater<>> free_at;
    for (int i = 0; i < workers; ++i) {
        free_at.push(0);
    }
    double last = 0;
    for (std::int64_t i = 0; i < batch.episodes(); ++i) {
        double const end =
            free_at.top() + sleep_seconds(settings.domain, episode_of(batch, i).reset);
        free_at.pop();
        free_at.push(end);
        last = std::max(last, end);
    }
    return last;
}

/// A search with `episodes_each` offspring per worker and generation that never waits for a cell.
/// Episodes sleep: +-50 % of their mean duration, or log-normal with longest : shortest = 30.
Settings protocol_settings(bool uneven, int workers, Options const& options)
{
    auto settings = paper_settings("sleep");
    settings.domain.sleep_seconds = options.seconds;
    settings.domain.episode_steps = 3;  // hundreds of ranks share a core: let them sleep
    settings.domain.sleep_spread = uneven ? SleepSpread::lognormal : SleepSpread::uniform;
    settings.es.population = (options.quick ? episodes_each / 2 : episodes_each) * workers;
    settings.algorithm.n_eval = 2;
    settings.algorithm.mode = SearchMode::explore;  // novelties too
    settings.algorithm.n_optim_gens = 1'000'000;
    settings.run.generations = 1'000'000;
    settings.noise.table_size = table_size;
    return settings;
}

/// Measurements of rank 0 over a few generations.
struct Generations {
    std::vector<double> shares;  ///< scheduling bound over seconds taken, of each
    std::int64_t count{0};       ///< of episodes
    MasterTiming master;
    double episodes{0};  ///< seconds from a batch to its results
    double updates{0};   ///< seconds from results to the next batch
    double processor{0};
};

Generations run_generations(ClusterRuntime const& runtime, Evaluator& evaluator, NoiseSource& noise,
                            Settings const& settings, int repeats)
{
    auto const problem = problem_of(settings);
    auto const algorithm = make_algorithm(problem, initial_state(*problem));
    StopToken stop;
    // The first controller's evaluation, then offspring only: not measured.
    for (int i = 0; i < 2; ++i) {
        auto const batch = algorithm->ask();
        algorithm->tell(batch, *evaluator.evaluate(batch, stop), noise);
    }
    Generations result;
    auto const before = runtime.master_timing();
    double const processor_before = processor_seconds();
    auto batch = algorithm->ask();
    for (int i = 0; i < repeats; ++i) {
        Stopwatch watch;
        auto const outcomes = evaluator.evaluate(batch, stop);
        double const seconds = watch.restart();
        result.episodes += seconds;
        result.count += batch.episodes();
        result.shares.push_back(scheduling_bound(settings, batch, evaluator.workers()) / seconds);
        watch.restart();
        algorithm->tell(batch, *outcomes, noise);
        batch = algorithm->ask();
        result.updates += watch.seconds();
    }
    result.processor = processor_seconds() - processor_before;
    result.master = runtime.master_timing();
    result.master -= before;
    return result;
}

void show_master(Generations const& seen, std::string const& name, Table& table)
{
    double const total = seen.episodes + seen.updates;
    auto const show = [&](char const* what, double seconds) {
        table.add("protocol", fmt::format("{}: {}", name, what), "%", {100 * seconds / total});
    };
    auto const& master = seen.master;
    show("master sends batches", master.sending);
    show("master hands out episodes", master.dispatching);
    show("master takes in replies", master.receiving);
    show("master stores results", master.storing);
    show("master waits", master.waiting);
    show("gradient, on all ranks", master.summing);
    show("novelties, on all ranks", master.comparing);
    show("rest of the update", seen.updates - master.summing - master.comparing);
    show("master's processor time", seen.processor);
    table.add("protocol", name + ": messages, per 1,000 episodes", "",
              {1e3 * static_cast<double>(master.messages) / static_cast<double>(seen.count)});
    table.add(
        "protocol", name + ": master, per message", "us",
        {1e6 * (master.dispatching + master.receiving) / static_cast<double>(master.messages)});
    table.add("protocol", name + ": master, per episode", "us",
              {1e6 * master.storing / static_cast<double>(seen.count)});
    table.add("protocol", name + ": a batch to all nodes", "ms",
              {1e3 * master.sending / static_cast<double>(seen.shares.size())});
}

bool is_uneven(Settings const& settings)
{
    return settings.domain.sleep_spread == SleepSpread::lognormal;
}

Target bound_goal(Settings const& settings)
{
    if (settings.domain.sleep_seconds < goals::short_seconds) {
        return goals::short_episodes;
    }
    return is_uneven(settings) ? goals::uneven_episodes : goals::even_episodes;
}

std::string name_of(ClusterRuntime const& runtime, Settings const& settings)
{
    return fmt::format("{} ranks{}, {}", runtime.size(),
                       runtime.nodes() > 1 ? fmt::format(" on {} nodes", runtime.nodes()) : "",
                       is_uneven(settings) ? "uneven" : "even");
}

void measure_as_master(ClusterRuntime const& runtime, Evaluator& evaluator, NoiseSource& noise,
                       Settings const& settings, Table& table, Options const& options)
{
    auto const seen = run_generations(runtime, evaluator, noise, settings, options.quick ? 1 : 3);
    auto const name = name_of(runtime, settings);
    table.add("protocol", name + " episodes: bound over time", "", seen.shares,
              bound_goal(settings));
    if (!is_uneven(settings)) {
        show_master(seen, name, table);
    }
}

}  // namespace

void measure_protocol(ClusterRuntime& runtime, Table& table, Options const& options)
{
    if (runtime.size() == 1) {
        throw ClusterError{"cannot measure protocol", "it needs several ranks",
                           "Start mpirun -n N mees_bench protocol."};
    }
    SharedNoiseTable noise{runtime, table_size, 42, 0};
    for (bool const uneven : {false, true}) {
        auto const settings = protocol_settings(uneven, runtime.size() - 1, options);
        auto const setup = make_rollout(settings, domain_of(settings));
        (void)with_evaluator(runtime, setup, noise.values(), 0, [&](Evaluator& evaluator) {
            measure_as_master(runtime, evaluator, noise, settings, table, options);
            return ExitCode::success;
        });
    }
}

}  // namespace mees::bench

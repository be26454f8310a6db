#include "mees/benchmark/bench.hpp"
#include "mees/benchmark/subjects.hpp"
#include "mees/cluster/mpi_evaluator.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/experiment/problem.hpp"

#include <fmt/format.h>

#include <functional>
#include <queue>

namespace mees::bench {
namespace {

constexpr std::int64_t table_size = 10'000'000;
constexpr std::int64_t episodes_each = 20;

/// When the last of `workers` would be done if each took the next episode the moment it was free.
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

void measure_as_master(MpiEvaluator& evaluator, Settings const& settings,
                       NetworkShape const& network, int workers, int nodes, Table& table,
                       Options const& options)
{
    StopToken stop;
    (void)evaluator.evaluate(offspring(settings, network, 2 * workers, table_size), stop);
    auto const batch = offspring(settings, network, episodes_each * workers, table_size);
    double const bound = scheduling_bound(settings, batch, workers);
    bool const uneven = settings.domain.sleep_spread == "lognormal";
    auto const before = evaluator.master_timing();
    double const processor_before = processor_seconds();
    std::vector<double> shares;
    double total = 0;
    for (int i = 0; i < (options.quick ? 1 : 3); ++i) {
        Stopwatch const watch;
        (void)evaluator.evaluate(batch, stop);
        total += watch.seconds();
        shares.push_back(bound / watch.seconds());
    }
    auto const after = evaluator.master_timing();
    auto const name = fmt::format("{} ranks{}, {} episodes", workers + 1,
                                  nodes > 1 ? fmt::format(" on {} nodes", nodes) : "",
                                  uneven ? "uneven" : "even");
    table.add("protocol", name + ": bound over time", "", shares, Goal::at_least,
              uneven ? 0.93 : 0.95);
    if (!uneven) {
        auto const percent = [&](double seconds) { return std::vector{100 * seconds / total}; };
        auto const messages = static_cast<double>(after.messages - before.messages);
        table.add("protocol", name + ": master sends batches", "%",
                  percent(after.sending - before.sending));
        table.add("protocol", name + ": master handles replies", "%",
                  percent(after.handling - before.handling));
        table.add("protocol", name + ": master has nothing to do", "%",
                  percent(after.idle - before.idle));
        table.add("protocol", name + ": master's processor time", "%",
                  percent(processor_seconds() - processor_before));
        table.add("protocol", name + ": master, per message", "us",
                  {1e6 * (after.handling - before.handling) / messages});
    }
}

}  // namespace

void measure_protocol(ClusterRuntime& runtime, Table& table, Options const& options)
{
    if (runtime.size() == 1) {
        throw ClusterError{"protocol needs several ranks", "this is one",
                           "Start it with mpirun -n N mees_bench protocol."};
    }
    SharedNoiseTable const noise{runtime, table_size, 42};
    for (bool const uneven : {false, true}) {
        auto const settings = sleep_settings(uneven);
        auto const setup = make_rollout(settings, make_domain(settings.domain));
        if (runtime.is_master()) {
            MpiEvaluator evaluator{runtime, setup, noise};
            measure_as_master(evaluator, settings, setup.network, runtime.size() - 1,
                              runtime.nodes(), table, options);
        } else {
            run_worker(runtime, setup, noise);
        }
    }
}

}  // namespace mees::bench

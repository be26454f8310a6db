#include "mees/benchmark/bench.hpp"
#include "mees/benchmark/detail/subjects.hpp"
#include "mees/benchmark/goals.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/rollout/episode_runner.hpp"

#include <algorithm>
#include <limits>

namespace mees::bench {
namespace {

constexpr int turns = 7;

/// Episodes of a tenth of the paper's length; with `falls` they end when the robot falls, as at the
/// start of a search.
void measure_domain(Table& table, std::string const& name, bool falls, Target const& goal,
                    int episodes, std::span<float const> noise)
{
    auto const label = falls ? name + " until it falls" : name;
    auto settings = paper_settings(name);
    settings.domain.episode_steps = 100;
    settings.domain.terminate = falls;
    auto const domain = domain_of(settings);
    auto const setup = make_rollout(settings, domain);
    auto const batch =
        offspring(settings, setup.network, episodes, static_cast<std::int64_t>(noise.size()));
    auto const recorded = record(settings, batch, noise);
    std::vector<double> bc(domain->spec().bc_names.size());
    std::vector<double> shares;
    std::vector<double> microseconds;
    std::vector<double> steps;
    std::vector<double> policy;
    for (std::int64_t i = 0; i < batch.episodes(); ++i) {
        auto const& episode = recorded[static_cast<std::size_t>(i)];
        auto const spec = episode_of(batch, i);
        // New objects each time: their memory layout is random and changes either by a few per
        // cent.
        EpisodeRunner runner{setup, noise};
        BarePhysics bare{*domain};
        auto const full = [&] { (void)runner.run(spec, bc, [] { return false; }); };
        auto const engine = [&] { bare.repeat(episode); };
        // Alternately; the best of a few of each, because other load only adds time.
        double full_seconds = std::numeric_limits<double>::infinity();
        double engine_seconds = full_seconds;
        for (int turn = 0; turn < turns; ++turn) {
            full_seconds = std::min(full_seconds, seconds_of(1, full)[0]);
            engine_seconds = std::min(engine_seconds, seconds_of(1, engine)[0]);
        }
        shares.push_back(engine_seconds / full_seconds);
        microseconds.push_back(engine_seconds * 1e6 / static_cast<double>(episode.steps));
        steps.push_back(static_cast<double>(episode.steps));
        auto const& timing = runner.timing();
        policy.push_back(100 * timing.policy / (timing.policy + timing.physics));
    }
    table.add("episode", label + ": control steps, over bare mj_step", "", shares, goal);
    if (falls) {
        table.add("episode", label + ": untrained", "steps", steps);
    }
    table.add("episode", label + ": policy and observation", "%", policy);
    table.add("episode", label + ": bare mj_step, one control step", "us", microseconds);
}

}  // namespace

void measure_episodes(Table& table, Options const& options)
{
    auto const noise = make_noise_table(20'000'000, 42, 1);
    int const episodes = options.quick ? 4 : 10;
    measure_domain(table, "ant", false, goals::ant, episodes, noise);
    measure_domain(table, "ant_maze", false, goals::ant_maze, episodes, noise);
    measure_domain(table, "deceptive_humanoid", false, goals::humanoid, episodes, noise);
    measure_domain(table, "deceptive_humanoid", true, goals::falling_humanoid, 4 * episodes, noise);
}

}  // namespace mees::bench

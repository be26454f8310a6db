#include "mees/benchmark/bench.hpp"
#include "mees/benchmark/subjects.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/rollout/episode_runner.hpp"

#include <algorithm>
#include <limits>

namespace mees::bench {
namespace {

constexpr double goal = 0.96;
constexpr int turns = 5;

void measure_domain(Table& table, std::string const& name, std::int64_t steps, int episodes,
                    std::span<float const> noise)
{
    auto settings = paper_settings(name);
    settings.domain.episode_steps = steps;
    settings.domain.terminate = false;  // equally long episodes
    auto const domain = make_domain(settings.domain);
    auto const setup = make_rollout(settings, domain);
    auto const batch =
        offspring(settings, setup.network, episodes, static_cast<std::int64_t>(noise.size()));
    auto const recorded = record(settings, batch, noise);
    EpisodeRunner runner{setup, noise};
    BarePhysics bare{*domain};
    std::vector<double> bc(domain->spec().bc_names.size());
    std::vector<double> shares;
    std::vector<double> microseconds;
    for (std::int64_t i = 0; i < batch.episodes(); ++i) {
        auto const& episode = recorded[static_cast<std::size_t>(i)];
        auto const spec = episode_of(batch, i);
        auto const full = [&] { (void)runner.run(spec, bc, [] { return false; }); };
        auto const engine = [&] { bare.repeat(episode); };
        // In turn; the better of a few of each, because whatever else runs here only adds.
        double full_seconds = std::numeric_limits<double>::infinity();
        double engine_seconds = full_seconds;
        for (int turn = 0; turn < turns; ++turn) {
            full_seconds = std::min(full_seconds, seconds_of(1, full)[0]);
            engine_seconds = std::min(engine_seconds, seconds_of(1, engine)[0]);
        }
        shares.push_back(engine_seconds / full_seconds);
        microseconds.push_back(engine_seconds * 1e6 / static_cast<double>(episode.steps));
    }
    table.add("episode", name + ": control steps, over bare mj_step", "", shares, Goal::at_least,
              goal);
    auto const& timing = runner.timing();
    table.add("episode", name + ": policy and observation", "%",
              {100 * timing.policy / (timing.policy + timing.physics)});
    table.add("episode", name + ": bare mj_step, one control step", "us", microseconds);
}

/// Control steps of episodes as a search begins with them: they end with a fall.
void measure_falls(Table& table, std::string const& name, int episodes,
                   std::span<float const> noise)
{
    auto const settings = paper_settings(name);
    auto const setup = make_rollout(settings, make_domain(settings.domain));
    auto const batch =
        offspring(settings, setup.network, episodes, static_cast<std::int64_t>(noise.size()));
    EpisodeRunner runner{setup, noise};
    std::vector<double> bc(setup.domains[0]->spec().bc_names.size());
    std::vector<double> steps;
    for (std::int64_t i = 0; i < batch.episodes(); ++i) {
        auto const outcome = runner.run(episode_of(batch, i), bc, [] { return false; });
        steps.push_back(static_cast<double>(outcome->steps));
    }
    table.add("episode", name + ": steps until it falls, untrained", "steps", steps);
}

}  // namespace

void measure_episodes(Table& table, Options const& options)
{
    auto const noise = make_noise_table(20'000'000, 42, 1);
    int const episodes = options.quick ? 6 : 20;
    measure_domain(table, "ant", 50, episodes, noise);
    measure_domain(table, "ant_maze", 50, episodes, noise);
    measure_domain(table, "deceptive_humanoid", 50, episodes, noise);
    measure_falls(table, "deceptive_humanoid", 10 * episodes, noise);
}

}  // namespace mees::bench

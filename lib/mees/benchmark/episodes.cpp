#include "mees/benchmark/bench.hpp"
#include "mees/benchmark/subjects.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/rollout/episode_runner.hpp"

namespace mees::bench {
namespace {

constexpr double goal = 0.96;

void measure_domain(Table& table, std::string const& name, std::int64_t steps, int episodes,
                    std::span<float const> noise)
{
    auto settings = paper_settings(name);
    settings.domain.episode_steps = steps;
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
        // In turn, and each first as often as the other.
        double const ratio =
            i % 2 == 0 ? ratios(1, engine, full)[0] : 1 / ratios(1, full, engine)[0];
        shares.push_back(ratio);
        microseconds.push_back(seconds_of(1, engine)[0] * 1e6 / static_cast<double>(episode.steps));
    }
    table.add("episode", name + ": control steps, over bare mj_step", "", shares, Goal::at_least,
              goal);
    table.add("episode", name + ": bare mj_step, one control step", "us", microseconds);
}

}  // namespace

void measure_episodes(Table& table, Options const& options)
{
    auto const noise = make_noise_table(20'000'000, 42, 1);
    int const episodes = options.quick ? 10 : 60;
    measure_domain(table, "ant", 100, episodes, noise);
    measure_domain(table, "ant_maze", 100, episodes, noise);
    measure_domain(table, "deceptive_humanoid", 100, episodes, noise);
}

}  // namespace mees::bench

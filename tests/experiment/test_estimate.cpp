#include "catch.hpp"
#include "mees/experiment/estimate.hpp"
#include "mees/experiment/problem.hpp"

#include <limits>
#include <utility>

using namespace mees;

namespace {

Settings small_settings()
{
    Settings settings;
    settings.run.generations = 4;
    settings.policy.hidden = {5};
    settings.es.population = 10;
    settings.algorithm.n_eval = 3;
    settings.noise.table_size = 1000;
    return settings;
}

TaskSpec const small_domain{.name = "small",
                            .observation_size = 2,
                            .action_size = 1,
                            .bc_names = {"x"},
                            .bc_lower = {0},
                            .bc_upper = {1},
                            .bc_bins = {50}};

Estimate estimate_of(Settings const& settings)
{
    return estimate(*make_problem(settings, small_domain, {}));
}

}  // namespace

TEST_CASE("an estimate counts cells, parameters and episodes")
{
    auto const result = estimate_of(small_settings());
    CHECK(result.cells == 50);
    CHECK(result.parameters == (2 + 1) * 5 + (5 + 1) * 1);
    CHECK(result.episodes_per_generation == 10 + 3);
    CHECK(result.episodes == 3 + 4 * 13);
    CHECK(result.elites == 1 + 4);
    CHECK(result.noise_bytes == 4 * 1000);
}

// n_eval = 3 episodes each.
TEST_CASE("an estimate counts the elites that a run starts from")
{
    auto const problem = make_problem(small_settings(), small_domain, {});
    auto const result = estimate(*problem, nullptr, 1, 7);
    CHECK(result.episodes == 3 + 7 * 3 + 4 * 13);
    CHECK(result.elites == 1 + 7 + 4);
}

// Generation 1 has 3 starts, 2 has 2, 3 and 4 have one; each 10 offspring and 3 episodes of theta.
TEST_CASE("an estimate counts the starts of es")
{
    auto settings = small_settings();
    settings.algorithm.name = "es";
    settings.algorithm.starts = 3;
    settings.algorithm.start_generations = 1;
    auto const result = estimate_of(settings);
    CHECK(result.episodes_per_generation == 3 * 13);
    CHECK(result.episodes == 3 * 3 + (3 + 2 + 1 + 1) * 13);
}

TEST_CASE("an estimate counts the populations of ga and cma-mae")
{
    auto settings = small_settings();
    settings.algorithm.name = "ga";
    settings.algorithm.children = 7;
    settings.algorithm.truncation = 4;
    settings.algorithm.elite_candidates = 2;
    settings.algorithm.elite_episodes = 5;
    auto const ga = estimate_of(settings);
    CHECK(ga.episodes_per_generation == 7 * 3 + 2 * 5);
    CHECK(ga.episodes == 5 * (7 * 3 + 2 * 5));
    CHECK(ga.elites == 5 * 7);
    settings.algorithm.name = "cma-mae";
    settings.algorithm.emitters = 2;
    auto const cma = estimate_of(settings);
    CHECK(cma.episodes_per_generation == 2 * 10 * 3);
    CHECK(cma.episodes == 3 + 4 * 60);
    CHECK(cma.elites == 50);
    settings.algorithm.emitter_optimizer = EmitterOptimiser::sep_cma_es;
    auto const separable = estimate_of(settings);
    CHECK(separable.episodes == cma.episodes);
    CHECK(separable.checkpoint_bytes
          == cma.checkpoint_bytes + 2 * (3 * 8 - 2 * 4) * cma.parameters);
    settings.algorithm.name = "cma-mega";
    settings.es.episodes_per_offspring = 2;
    settings.algorithm.confirm_offspring = 1;
    auto const mega = estimate_of(settings);
    CHECK(mega.episodes_per_generation == 10 * 2 + (1 + 7) * 3);
    CHECK(mega.episodes == 3 + 4 * (20 + 24));
    CHECK(mega.elites == 1 + 4 * 8);
}

// Five elites of 21 parameters have 420 bytes.
TEST_CASE("an estimate moves parameters beyond map.memory_limit to the disk")
{
    auto settings = small_settings();
    auto const without = estimate_of(settings);
    CHECK(without.scratch_bytes == 0);
    settings.map.memory_limit = 100e-6;
    auto const limited = estimate_of(settings);
    CHECK(limited.scratch_bytes == 320);
    CHECK(limited.master_bytes == without.master_bytes - 320);
    CHECK(limited.disk_bytes == without.disk_bytes + 320);
    CHECK(limited.checkpoint_bytes == without.checkpoint_bytes);
    settings.map.memory_limit = 421e-6;
    CHECK(estimate_of(settings).disk_bytes == without.disk_bytes);
}

// Blocks of 10 offspring: 1,000 steps need one of full length (4 x 10 x 25) and 100 of episodes of
// one step; 1,001 one more of each. MEMES: blocks of 3 x 10.
TEST_CASE("an estimate of generations of a number of control steps has two bounds")
{
    auto settings = small_settings();
    settings.algorithm.name = "es";
    auto const bounds = [&](std::int64_t steps) {
        settings.es.steps_per_generation = steps;
        auto const result = estimate(*make_problem(settings, small_domain, {}), nullptr, 25);
        CHECK(result.episodes == 3 + 4 * result.episodes_per_generation);
        CHECK(result.most_episodes == 3 + 4 * result.most_episodes_per_generation);
        return std::pair{result.episodes_per_generation, result.most_episodes_per_generation};
    };
    CHECK(bounds(0) == std::pair<std::int64_t, std::int64_t>{13, 13});
    CHECK(bounds(10) == std::pair<std::int64_t, std::int64_t>{13, 13});
    CHECK(bounds(1000) == std::pair<std::int64_t, std::int64_t>{40 + 3, 1000 + 3});
    CHECK(bounds(1001) == std::pair<std::int64_t, std::int64_t>{50 + 3, 1010 + 3});
    settings.algorithm.name = "cma-mae";
    CHECK(bounds(1001).first == bounds(0).first);
    settings.algorithm.name = "memes";
    settings.algorithm.emitters = 3;
    settings.algorithm.confirm_offspring = 2;
    CHECK(bounds(1001) == std::pair<std::int64_t, std::int64_t>{60 + 9 * 3, 1020 + 9 * 3});
    settings.run.generations = 4294967295;
    settings.es.steps_per_generation = 1'000'000'000'000'000;
    CHECK(estimate_of(settings).most_episodes == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("meaningless combinations are refused")
{
    auto settings = small_settings();
    settings.algorithm.children = 3;
    CHECK_NOTHROW(estimate_of(settings));
    settings.algorithm.name = "ns";
    CHECK_THROWS_WITH(estimate_of(settings), Catch::Contains("algorithm.truncation = 20"));
    settings.algorithm.name = "cma-mega";
    CHECK_NOTHROW(estimate_of(settings));
    settings.algorithm.children = 1;
    CHECK_THROWS_WITH(estimate_of(settings), Catch::Contains("algorithm.children = 1"));
}

TEST_CASE("there are no more elites than cells")
{
    auto settings = small_settings();
    settings.run.generations = 1000;
    CHECK(estimate_of(settings).elites == 50);
}

TEST_CASE("disk space includes the checkpoints that are kept")
{
    auto settings = small_settings();
    auto const three = estimate_of(settings);
    CHECK(three.disk_bytes == 3 * three.checkpoint_bytes);
    settings.checkpoint.keep = 2;
    CHECK(estimate_of(settings).disk_bytes == 5 * three.checkpoint_bytes);
    settings.checkpoint.changes_above_megabytes = 1e-6;
    CHECK(estimate_of(settings).disk_bytes == 8 * three.checkpoint_bytes);
}

TEST_CASE("a checkpoint includes the robot that it carries")
{
    auto const problem = make_problem(small_settings(), small_domain, {});
    DomainDocument const carried{"model", "task", {{"trunk.stl", std::vector<std::byte>(1000)}}};
    auto const with = estimate(*problem, &carried);
    auto const without = estimate(*problem);
    CHECK(with.checkpoint_bytes == without.checkpoint_bytes + 5 + 4 + 1000);
    CHECK(with.master_bytes == without.master_bytes + 5 + 4 + 1000);
}

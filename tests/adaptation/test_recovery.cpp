#include "adaptation/maps.hpp"
#include "catch.hpp"

#include "mees/adaptation/recovery.hpp"
#include "mees/core/error.hpp"

#include <array>
#include <cmath>
#include <set>
#include <tuple>

using namespace mees;

namespace {

void step(Recovery& recovery)
{
    FakeEvaluator evaluator;
    StopToken stop;
    Batch const batch{.seed = 1, .groups = recovery.ask()};
    recovery.tell(evaluator.evaluate(batch, stop)->outcomes);
}

RecoveryResult run(RecoveryMap const& map, RecoveryCase const& which)
{
    Recovery recovery{map, {}, which};
    while (!recovery.finished()) {
        step(recovery);
    }
    return recovery.result();
}

RecoveryResult with_trials(std::vector<double> const& fitness, double final_score)
{
    RecoveryResult result;
    for (double const value : fitness) {
        result.trials.push_back({CellId{0}, 0, 0, value});
    }
    result.after.mean = final_score;
    return result;
}

}  // namespace

// Mean 5, sample variance 32/7; its root over sqrt(8).
TEST_CASE("a score is a mean and its standard error")
{
    std::array const fitness{2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0};
    auto const score = score_of(fitness);
    CHECK(score.mean == 5.0);
    CHECK(score.standard_error == Approx(std::sqrt(32.0 / 7.0 / 8.0)));
    CHECK(score_of(std::array{3.5}) == Score{3.5, 0.0});
}

TEST_CASE("a recovery runs its trials, then scores the best cell and the answer")
{
    auto const map = small_map();
    RecoverySettings settings;
    settings.optimiser.trials = 20;
    Recovery recovery{recovery_map(map), settings, {"J0", 3, 2}};
    for (int trial = 0; trial < 20; ++trial) {
        auto const groups = recovery.ask();
        REQUIRE(groups.size() == 1);
        CHECK(groups[0].kind == EpisodeKind::trial);
        CHECK(groups[0].variant == 2);
        CHECK(groups[0].episodes() == 2);
        CHECK(groups[0].action_noise == 0);
        step(recovery);
    }
    auto const groups = recovery.ask();
    REQUIRE(groups.size() == 2);
    CHECK(groups[0].centre == map.find(CellId{14})->controller);
    for (auto const& group : groups) {
        CHECK(group.kind == EpisodeKind::score);
        CHECK(group.episodes() == 30);
        CHECK(group.variant == 2);
    }
    CHECK_FALSE(recovery.finished());
    step(recovery);
    CHECK(recovery.finished());

    auto const& result = recovery.result();
    CHECK(result.damage == "J0");
    CHECK(result.seed == 3);
    CHECK(result.best_cell == CellId{14});
    CHECK(result.trials.size() == 20);
    CHECK(result.before.mean == Approx(damaged_fitness(14)).margin(1));
    CHECK(result.after.mean == Approx(damaged_fitness(result.answer_cell.value())).margin(1));
    CHECK(result.after.mean > result.before.mean);
    CHECK(result.after.standard_error > 0);
    CHECK(result.episodes == 20 * 2 + 2 * 30);
    CHECK(result.steps == 10 * result.episodes);
}

TEST_CASE("an answer that is the best controller from before has one score, and no gain")
{
    MapOptimiserSettings none;
    none.trials = 1;
    RecoverySettings settings;
    settings.optimiser = none;
    Recovery recovery{recovery_map(small_map()), settings, {"J0", 1, 0}};
    while (!recovery.finished()) {
        // Far better than predicted: the cell that was tried is the answer.
        std::vector<EpisodeOutcome> outcomes;
        for (auto const& group : recovery.ask()) {
            for (std::int64_t i = 0; i < group.episodes(); ++i) {
                outcomes.push_back(
                    {1e6 + static_cast<double>(outcomes.size()), 10, EpisodeEnd::completed});
            }
        }
        recovery.tell(outcomes);
    }
    auto const& result = recovery.result();
    REQUIRE(result.answer_cell == result.best_cell);
    CHECK(result.before == result.after);
    // Of 1000000 .. 1000059, both scores' episodes.
    CHECK(result.before.mean == 1'000'029.5);
    CHECK(result.before.standard_error == Approx(std::sqrt(60.0 * 61 / 12 / 60)));
}

TEST_CASE("no two episodes of any seed or damage share a random stream")
{
    auto const map = recovery_map(small_map());
    std::set<std::tuple<EpisodeKind, std::int64_t, std::int64_t>> streams;
    std::size_t episodes = 0;
    for (auto const& which : {RecoveryCase{"J0", 1, 0}, RecoveryCase{"J0", 2, 0},
                              RecoveryCase{"J1", 1, 1}, RecoveryCase{"J0,J1", 1, 2}}) {
        Recovery recovery{map, {}, which};
        while (!recovery.finished()) {
            for (auto const& group : recovery.ask()) {
                for (std::int64_t i = 0; i < group.episodes(); ++i, ++episodes) {
                    streams.emplace(group.kind, group.generation.value(), group.first_stream + i);
                }
            }
            step(recovery);
        }
    }
    CHECK(episodes == 4 * (30 * 2 + 2 * 30));
    CHECK(streams.size() == episodes);
}

TEST_CASE("a result depends on damage and seed, not on the position of the damage")
{
    auto const map = recovery_map(small_map());
    auto const first = run(map, {"J3", 1, 0});
    CHECK(run(map, {"J3", 1, 7}) == first);
    CHECK_FALSE(run(map, {"J3", 2, 0}).before == first.before);
    CHECK_FALSE(run(map, {"J4", 1, 0}).before == first.before);
}

TEST_CASE("the number of trials to a share of the final score")
{
    CHECK(trials_to_reach(with_trials({10, 89, 91, 95}, 100), 0.9) == 3);
    CHECK(trials_to_reach(with_trials({90}, 100), 0.9) == 1);
    CHECK(trials_to_reach(with_trials({10, 20}, 100), 0.9) == std::nullopt);
    CHECK(trials_to_reach(with_trials({-60, -32, -29}, -27), 0.9) == 3);
    CHECK(trials_to_reach(with_trials({-1, 0}, 0), 0.9) == 2);
}

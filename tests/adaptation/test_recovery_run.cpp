#include "adaptation/maps.hpp"
#include "catch.hpp"

#include "mees/adaptation/recovery_run.hpp"

#include <algorithm>

using namespace mees;

namespace {

std::vector<DamageJob> three_damages()
{
    return {{"J0", 0, {0, 1, 2}}, {"J1", 1, {0, 1, 2}}, {"J0,J1", 2, {2}}};
}

struct Run {
    bool complete{false};
    std::vector<RecoveryResult> results;
    std::int64_t batches{0};
};

Run run(std::int64_t workers, RecoverySettings const& settings = {}, std::int64_t stop_at = -1)
{
    FakeEvaluator evaluator{stop_at};
    StopToken stop;
    Run run;
    run.complete =
        recover(recovery_map(small_map()), settings, three_damages(), 1, evaluator, workers, stop,
                [&](std::vector<RecoveryResult> const& results) {
                    run.results.insert(run.results.end(), results.begin(), results.end());
                });
    run.batches = evaluator.batches;
    return run;
}

}  // namespace

TEST_CASE("every seed of every damage has a result, in order")
{
    auto const one = run(1);
    REQUIRE(one.complete);
    REQUIRE(one.results.size() == 7);
    CHECK(one.results[0].damage == "J0");
    CHECK(one.results[2].seed == 2);
    CHECK(one.results[3].damage == "J1");
    CHECK(one.results[6].damage == "J0,J1");
    CHECK(one.results[6].seed == 2);
    for (auto const& result : one.results) {
        CHECK(result.trials.size() == 30);
    }
}

// One worker is busy with the six episodes of one damage's round: 3 x (30 trials and the scores).
TEST_CASE("more workers run more damages at once, with the same results")
{
    auto const one = run(1);
    auto const many = run(100);
    CHECK(one.batches == 3 * 31);
    CHECK(many.batches == 31);
    CHECK(many.results == one.results);
}

TEST_CASE("further damages start when others stop early")
{
    RecoverySettings settings;
    settings.optimiser.alpha = 0.5;
    auto const early = run(100, settings);
    REQUIRE(early.complete);
    auto const fewest = std::ranges::min(early.results, {}, [](auto const& result) {
                            return result.trials.size();
                        }).trials.size();
    CHECK(fewest < 30);
    auto alone = run(1, settings).results;
    auto together = early.results;
    auto const order = [](RecoveryResult const& a, RecoveryResult const& b) {
        return std::tie(a.damage, a.seed) < std::tie(b.damage, b.seed);
    };
    std::ranges::sort(alone, order);
    std::ranges::sort(together, order);
    CHECK(alone == together);
}

TEST_CASE("a stop keeps finished damages")
{
    auto const stopped = run(1, {}, 40);
    CHECK_FALSE(stopped.complete);
    CHECK(stopped.results.size() == 3);
}

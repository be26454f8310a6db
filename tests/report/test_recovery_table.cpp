#include "catch.hpp"

#include "mees/report/recovery_table.hpp"

#include <cmath>
#include <sstream>

using namespace mees;

namespace {

RecoveryResult result(std::string damage, std::int64_t seed, Score before, Score after,
                      std::vector<double> const& trials)
{
    RecoveryResult result;
    result.damage = std::move(damage);
    result.seed = seed;
    result.best_cell = CellId{7};
    result.answer_cell = CellId{9};
    result.before = before;
    result.after = after;
    result.episodes = 120;
    result.steps = 4321;
    for (double const fitness : trials) {
        result.trials.push_back({CellId{9}, 0, 0, fitness});
    }
    return result;
}

std::vector<RecoveryResult> results()
{
    return {result("J0", 0, {100, 5}, {400, 6}, {10, 20, 390}),
            result("J0", 1, {200, 5}, {600, 6}, {590, 1}),
            result("J0,J1", 0, {-50, 3}, {-10, 4}, {-40, -30})};
}

}  // namespace

// Seeds 100 and 200: mean 150, standard error |200 - 100| / 2.
TEST_CASE("a damage is summed up over its seeds")
{
    auto const summaries = summarise(results());
    REQUIRE(summaries.size() == 2);
    CHECK(summaries[0].damage == "J0");
    CHECK(summaries[0].seeds == 2);
    CHECK(summaries[0].before == Score{150, 50});
    CHECK(summaries[0].after == Score{500, 100});
    CHECK(summaries[0].gain == Score{350, 50});
    CHECK(summaries[0].trials == 2.0);
    CHECK(summaries[1].after == Score{-10, 4});
    CHECK(summaries[1].gain == Score{40, 5});
    CHECK(summaries[1].trials == std::nullopt);
}

TEST_CASE("the table has a line per damage and their mean")
{
    CHECK(recovery_table(summarise(results()))
          == "damage        damaged       recovered             gain  cell  trials to 90 %\n"
             "J0      150.0 +- 50.0  500.0 +- 100.0   +350.0 +- 50.0     9             2.0\n"
             "J0,J1    -50.0 +- 3.0    -10.0 +- 4.0     +40.0 +- 5.0     9               -\n"
             "mean    50.0 +- 100.0  245.0 +- 255.0  +195.0 +- 155.0\n"
             "damaged, recovered: the old and the chosen controller in the damaged robot\n"
             "+-: standard error over the seeds of a damage (repetitions on this one map) or,\n"
             "    for one seed, the episodes of a score\n"
             "+- of the mean: standard error over the 2 damages\n");
}

TEST_CASE("a long damage has a line of its own where the terminal is narrow")
{
    std::string const damage = "lock:hip_1,weak:J4=0.3,friction=0.5";
    auto const summaries = summarise(std::vector{result(damage, 0, {100, 5}, {400, 6}, {390})});
    CHECK_THAT(recovery_table(summaries), Catch::Matchers::ContainsSubstring(damage + "  100.0"));
    Terminal terminal;
    terminal.interactive = true;
    auto const text = recovery_table(summaries, terminal);
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring(damage + "\n"));
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) {
        INFO(line);
        CHECK(line.size() <= 80);
    }
}

TEST_CASE("the table says what its figures are over")
{
    auto same = result("J0", 0, {100, 5}, {100, 5}, {100});
    same.answer_cell = same.best_cell;
    auto const one = recovery_table(summarise(std::vector{same}));
    CHECK_THAT(one, Catch::Matchers::ContainsSubstring("+0.0 +- 0.0"));
    CHECK_THAT(one, Catch::Matchers::EndsWith(
                        "+-: standard error over the episodes of a score\n"
                        "in 1 recovery the old controller was chosen again: gain 0\n"));
    auto late = result("J0", 1, {100, 5}, {400, 6}, {10});
    auto const two =
        recovery_table(summarise(std::vector{result("J0", 0, {100, 5}, {400, 6}, {390}), late}));
    CHECK_THAT(two, Catch::Matchers::ContainsSubstring(" 1.0 (1/2)\n"));
    CHECK_THAT(two, Catch::Matchers::ContainsSubstring("mean over the seeds that reached it"));
}

TEST_CASE("a recovery that loses is named, and so is the number of chosen cells")
{
    auto other = result("J0", 1, {300, 5}, {200, 6}, {10});
    other.answer_cell = CellId{11};
    auto const text =
        recovery_table(summarise(std::vector{result("J0", 0, {301, 5}, {200, 6}, {10}), other}));
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("  2 cells "));
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring(
                         "in 1 damage the chosen controller is worse than the old one"));
}

TEST_CASE("the CSV has a line per result")
{
    CHECK(recovery_csv(results())
          == "damage,seed,pre,pre_se,post,post_se,gain,trials,trials_to_90,best_cell,answer_cell,"
             "episodes,steps\n"
             "J0,0,100,5,400,6,300,3,3,7,9,120,4321\n"
             "J0,1,200,5,600,6,400,2,1,7,9,120,4321\n"
             "\"J0,J1\",0,-50,3,-10,4,40,2,,7,9,120,4321\n");
}

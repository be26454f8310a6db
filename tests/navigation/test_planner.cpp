#include "catch.hpp"
#include "navigation/repertoires.hpp"

#include "mees/navigation/planner.hpp"

#include <cmath>

using namespace mees;

namespace {

/// A square of side 20 with cells of 1 m: targets are reached within 0.5 m.
Arena square()
{
    ArenaSettings settings;
    settings.cell = 1;
    return Arena{settings};
}

struct Situation {
    Arena arena;
    GroundPoint target;
    WayPoints ways{arena, target};
    GroundPose start{};

    [[nodiscard]] PlannedTask task() const { return {&arena, &ways, target, start}; }
};

Stream test_stream(std::int64_t index = 0)
{
    return {7, Purpose::test, Generation{0}, index};
}

PlannerSettings few(std::int64_t iterations)
{
    PlannerSettings settings;
    settings.iterations = iterations;
    settings.trees = 2;
    settings.candidates = 10;
    settings.depth = 5;
    return settings;
}

}  // namespace

TEST_CASE("roots are merged by adding", "[navigation]")
{
    auto const merged = merge({{{4, 10, 2}, {1, -3, 1}}, {{1, 5, 3}}});
    REQUIRE(merged.size() == 2);
    CHECK(merged[0].action == 1);
    CHECK(merged[0].value == 2);
    CHECK(merged[0].visits == 4);
    CHECK(merged[1].action == 4);
    CHECK(merged[1].value == 10);
    CHECK(merged[1].visits == 2);
}

// Means 3 and 2, deviations 0.099 (observed) and 0.565 (its neighbour), S = 1 / 0.5: without
// curiosity the first is best, with k = 1 the second (2 + 2 * 0.565 > 3 + 2 * 0.099), with k = 0.5
// still the first (2 + 0.565 < 3 + 0.099).
TEST_CASE("curiosity prefers uncertain actions", "[navigation]")
{
    DisplacementModel model{repertoire_of_steps({{1, 0}, {0, 1}}), plain_kernel, true};
    model.observe(0, {1, 0, 1, 0});
    CHECK(model.deviation(0) == Approx(0.0990148));
    CHECK(model.deviation(1) == Approx(0.565388).epsilon(1e-4));
    std::vector<RootAction> const actions{{0, 6, 2}, {1, 8, 4}};
    CHECK(best_action(actions, model, 0) == 0);
    CHECK(best_action(actions, model, 0.5) == 0);
    CHECK(best_action(actions, model, 1.5) == 1);
    DisplacementModel const certain{repertoire_of_steps({{1, 0}, {0, 1}}), {}, false};
    CHECK(best_action(actions, certain, 100) == 0);
}

// Certain outcomes. Only the first action leads to the target, and it ends there: each search that
// takes it is worth 100.
TEST_CASE("a tree knows the worth of an action that reaches the target", "[navigation]")
{
    DisplacementModel const model{repertoire_of_steps({{1, 0}, {-1, 0}}), {}, false};
    Situation const situation{square(), {1, 0}};
    auto const settings = few(100);
    auto stream = test_stream();
    SearchTree tree{situation.task(), model, settings, stream};
    for (int i = 0; i < 100; ++i) {
        double const value = tree.iterate();
        CHECK(value <= 100);
    }
    auto const root = tree.root();
    std::int64_t visits = 0;
    for (auto const& tried : root) {
        visits += tried.visits;
        if (tried.action == 0) {
            CHECK(tried.value == 100.0 * static_cast<double>(tried.visits));
        } else {
            CHECK(tried.value < 100.0 * static_cast<double>(tried.visits));
        }
    }
    CHECK(visits == 100);
}

// At the wall x = 10, one step on leads out: -1000.
TEST_CASE("a collision ends a search", "[navigation]")
{
    DisplacementModel const model{repertoire_of_steps({{1, 0}}), {}, false};
    Situation situation{square(), {-5, 0}};
    situation.start = {9.5, 0, 1, 0};
    auto const settings = few(10);
    auto stream = test_stream();
    SearchTree tree{situation.task(), model, settings, stream};
    CHECK(tree.iterate() == -1000);
    CHECK(tree.states() == 2);
}

// Two steps from the target: the first is worth nothing, the second 100, discounted once.
TEST_CASE("later rewards are discounted", "[navigation]")
{
    DisplacementModel const model{repertoire_of_steps({{1, 0}}), {}, false};
    Situation const situation{square(), {2, 0}};
    auto const settings = few(10);
    auto stream = test_stream();
    SearchTree tree{situation.task(), model, settings, stream};
    CHECK(tree.iterate() == Approx(90));  // by a roll-out
    CHECK(tree.iterate() == Approx(90));  // in the tree
}

TEST_CASE("plans lead to the target and around an obstacle", "[navigation]")
{
    // Eight steps of 1 m in all directions.
    std::vector<std::pair<double, double>> steps;
    for (int i = 0; i < 8; ++i) {
        steps.emplace_back(std::cos(i * 0.785398), std::sin(i * 0.785398));
    }
    auto const learning = GENERATE(false, true);
    auto settings = square().settings();
    settings.boxes = {{{1.2, -2}, {1.8, 1}}};
    Situation situation{Arena{settings}, {3, 0}};
    DisplacementModel model{repertoire_of_steps(steps), {}, learning};
    auto stream = test_stream();
    auto const planner = few(200);
    int actions = 0;
    int collisions = 0;
    while (distance({situation.start.x, situation.start.y}, situation.target) >= 0.5
           && actions < 30) {
        auto const action = plan(situation.task(), model, planner, stream, [] {});
        auto const step = GroundPose{steps[static_cast<std::size_t>(action)].first,
                                     steps[static_cast<std::size_t>(action)].second, 1, 0};
        model.observe(action, step);
        auto const after = moved(situation.start, step);
        collisions +=
            situation.arena.collides({situation.start.x, situation.start.y}, {after.x, after.y})
                ? 1
                : 0;
        situation.start = after;
        ++actions;
    }
    CHECK(actions < 30);
    CHECK(actions >= 4);  // the way around is longer than three steps
    CHECK((learning || collisions == 0));
}

TEST_CASE("the same stream gives the same plan", "[navigation]")
{
    DisplacementModel const model{
        repertoire_of_steps({{1, 0}, {0, 1}, {-1, 0}, {0, -1}}), {}, true};
    Situation const situation{square(), {3, 2}};
    auto one = test_stream(3);
    auto two = test_stream(3);
    CHECK(plan(situation.task(), model, few(50), one, [] {})
          == plan(situation.task(), model, few(50), two, [] {}));
    CHECK(one.next() == two.next());
    CHECK_THROWS_AS(plan(situation.task(), model, few(50), one, [] { throw 1; }), int);
}

#include "catch.hpp"
#include "sim/physics.hpp"

#include "mees/core/error.hpp"
#include "mees/sim/ground_robot.hpp"

#include <cmath>

using namespace mees;
using namespace mees::test;

namespace {

DomainSettings resting_ant()
{
    auto settings = settings_for("mjcf");
    settings.mjcf.model = MEES_SOURCE_DIR "/configs/models/servo_ant.xml";
    settings.mjcf.start = "rest";
    settings.mjcf.bc = BehaviourKind::displacement;
    settings.mjcf.reward = {{.kind = RewardKind::alive}};
    return settings;
}

std::vector<double> some_action(int step)
{
    std::vector<double> action(8);
    for (std::size_t i = 0; i < action.size(); ++i) {
        action[i] = std::sin(0.7 * step + static_cast<double>(i));
    }
    return action;
}

void check_pose(GroundPose const& one, GroundPose const& other)
{
    CHECK(one.x == Approx(other.x).margin(1e-6));
    CHECK(one.y == Approx(other.y).margin(1e-6));
    CHECK(one.cos == Approx(other.cos).margin(1e-6));
    CHECK(one.sin == Approx(other.sin).margin(1e-6));
}

}  // namespace

// The ground is the same everywhere, so a robot whose origin is moved on the way walks as one whose
// origin is not: the composition of its poses is the other's pose. The solver's start from its last
// solution is lost, so the two agree to its tolerance only, and for a short time.
TEST_CASE("moving the origin changes no motion", "[ground]")
{
    auto const domain = make_domain(resting_ant());
    GroundRobot one{*domain};
    GroundRobot other{*domain};
    auto stream_one = stream_of(3);
    auto stream_other = stream_of(3);
    one.task().reset(stream_one);
    other.task().reset(stream_other);
    auto origin = other.pose();
    other.begin();
    check_pose(other.pose(), {});
    for (int step = 0; step < 6; ++step) {
        if (step == 3) {
            origin = moved(origin, other.pose());
            other.begin();
            check_pose(other.pose(), {});
        }
        one.task().step(some_action(step));
        other.task().step(some_action(step));
        check_pose(moved(origin, other.pose()), one.pose());
    }
    auto const there = other.world_qpos(origin);
    for (std::size_t i = 0; i < there.size(); ++i) {
        CHECK(there[i] == Approx(one.task().qpos()[i]).margin(1e-5));
    }
}

// The hips of the Ant with motors; its ankles cannot reach the model's reference pose.
TEST_CASE("motors at rest return to the pose in which episodes start", "[ground]")
{
    auto settings = settings_for("ant");
    settings.integrator = Integrator::euler;
    auto const domain = make_domain(settings);
    GroundRobot robot{*domain};
    auto stream = stream_of(4);
    robot.task().reset(stream);
    std::vector<double> action(8);
    for (int step = 0; step < 5; ++step) {
        robot.task().step(some_action(step));
    }
    for (int step = 0; step < 60; ++step) {
        robot.task().rest_action(action);
        for (double const value : action) {
            CHECK(std::abs(value) <= 1);
        }
        robot.task().step(action);
    }
    for (std::size_t hip = 7; hip < 15; hip += 2) {
        CHECK(robot.task().qpos()[hip] == Approx(0).margin(0.05));
    }
    for (double const velocity : robot.task().qvel()) {
        CHECK(std::abs(velocity) < 0.1);
    }
}

TEST_CASE("position servos rest at the pose in which episodes start", "[ground]")
{
    GroundRobot robot{*make_domain(resting_ant())};
    auto stream = stream_of(5);
    robot.task().reset(stream);
    std::vector<double> action(8);
    for (int step = 0; step < 20; ++step) {
        robot.task().step(some_action(step));
    }
    for (int step = 0; step < 40; ++step) {
        robot.task().rest_action(action);
        robot.task().step(action);
    }
    std::vector<double> const rest{0, 0.87, 0, -0.87, 0, -0.87, 0, 0.87};
    for (std::size_t i = 0; i < rest.size(); ++i) {
        CHECK(robot.task().qpos()[7 + i] == Approx(rest[i]).margin(0.1));
    }
    // 60 control steps are six periods of the oscillators.
    CHECK(robot.task().qpos()[15] == Approx(1).margin(0.12));
    CHECK(robot.task().qpos()[16] == Approx(0).margin(0.12));
}

TEST_CASE("robots that cannot navigate", "[ground]")
{
    CHECK_THROWS_AS(GroundRobot{*make_domain(settings_for("point_maze"))}, ConfigError);
    CHECK_THROWS_AS(GroundRobot{*make_domain(settings_for("sleep"))}, ConfigError);
    CHECK_NOTHROW(GroundRobot{*make_domain(settings_for("ant"))});
}

#include "physics.hpp"

#include <cmath>

using namespace mees;
using namespace mees::test;

namespace {

/// How far a joint turns of a robot at rest turns when its motor alone is driven to the full for
/// some steps.
double turn_under_full_control(DomainSettings const& settings, std::string const& joint)
{
    World world{settings};
    world.physics.place(world.rest_qpos(), world.rest_qvel());
    auto action = world.actions();
    int const id = find_id(world.model(), mjOBJ_JOINT, joint, "joint");
    for (std::size_t motor = 0; motor < action.size(); ++motor) {
        action[motor] = world.model().actuator_trnid[2 * motor] == id ? 1 : 0;
    }
    for (int step = 0; step < 30; ++step) {
        world.task->step(world.actions());
    }
    double const before = world.joint_angle(joint);
    double farthest = 0;
    for (int step = 0; step < 10; ++step) {
        world.task->step(action);
        farthest = std::max(farthest, std::abs(world.joint_angle(joint) - before));
    }
    return farthest;
}

double sliding_distance(DomainSettings const& settings)
{
    World world{settings};
    auto qpos = world.rest_qpos();
    world.physics.place(qpos, world.rest_qvel());
    for (int step = 0; step < 40; ++step) {
        world.task->step(world.actions());
    }
    world.data().qvel[0] = 3;
    double const start = world.physics.qpos()[0];
    for (int step = 0; step < 20; ++step) {
        world.task->step(world.actions());
    }
    return world.physics.qpos()[0] - start;
}

}  // namespace

TEST_CASE("a damaged motor hardly moves its joint, the others do", "[damage]")
{
    auto const whole = turn_under_full_control(settings_for("ant"), "hip_4");
    auto const broken = turn_under_full_control(settings_for("ant", {"J0"}), "hip_4");
    CHECK(whole > 0.3);
    CHECK(broken < 0.2 * whole);
    CHECK(turn_under_full_control(settings_for("ant", {"J0"}), "hip_1") > 0.3);
}

TEST_CASE("damage is named by number, by motor, by joint, or several at once", "[damage]")
{
    auto const hash = [](std::vector<std::string> damage) {
        return make_domain(settings_for("ant", std::move(damage)))->spec().model_sha256;
    };
    auto const leg = hash({"J0", "J1"});
    CHECK(hash({"J0,J1"}) == leg);
    CHECK(hash({"J0,1"}) == leg);
    CHECK(hash({"hip_4", "ankle_4"}) == leg);
    CHECK(hash({"J1", "J0"}) == leg);
    CHECK(hash({"J0"}) != leg);
}

TEST_CASE("the humanoid's joints can be damaged by name", "[damage]")
{
    auto const whole = turn_under_full_control(settings_for("deceptive_humanoid"), "right_elbow");
    auto const broken =
        turn_under_full_control(settings_for("deceptive_humanoid", {"right_elbow"}), "right_elbow");
    CHECK(whole > 0.5);
    CHECK(broken < 0.5 * whole);
}

TEST_CASE("a locked joint stays where it is", "[damage]")
{
    CHECK(turn_under_full_control(settings_for("ant", {"lock:hip_4"}), "hip_4") < 0.02);
    World world{settings_for("ant", {"lock:ankle_1"})};
    auto const joint = find_id(world.model(), mjOBJ_JOINT, "ankle_1", "joint");
    CHECK(world.model().jnt_range[2 * joint] == Approx(30 * M_PI / 180));
    CHECK(world.model().jnt_range[2 * joint + 1] == Approx(30 * M_PI / 180));
}

TEST_CASE("less friction slides farther", "[damage]")
{
    CHECK(sliding_distance(settings_for("ant", {"friction=0.1"}))
          > 1.5 * sliding_distance(settings_for("ant")));
}

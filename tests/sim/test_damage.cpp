#include "mees/core/error.hpp"
#include "mees/sim/damage.hpp"
#include "physics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

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

std::string model_text(std::string const& name)
{
    std::ifstream file{std::string{MEES_SOURCE_DIR} + "/lib/mees/sim/models/" + name + ".xml"};
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
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

// Origin: the paper's list of damages, and its order of the motors.
TEST_CASE("the paper's twelve damages", "[damage]")
{
    auto const damages = paper_damages();
    REQUIRE(damages.size() == 12);
    CHECK(damages[0].name == "J0");
    CHECK(damages[7].name == "J7");
    CHECK(damages[8].parts == std::vector<std::string>{"J0", "J1"});
    CHECK(damages[11].name == "J6,J7");
    std::set<std::string> models;
    for (auto const& damage : damages) {
        World world{settings_for("ant", damage.parts)};
        models.insert(world.spec().model_sha256);
        for (int motor = 0; motor < 8; ++motor) {
            bool const cut =
                std::find(damage.parts.begin(), damage.parts.end(), fmt::format("J{}", motor))
                != damage.parts.end();
            CHECK(world.model().actuator_ctrlrange[2 * motor] == (cut ? -0.01 : -1));
            CHECK(world.model().actuator_ctrlrange[2 * motor + 1] == (cut ? 0.01 : 1));
        }
    }
    CHECK(models.size() == 12);
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

TEST_CASE("a weak motor keeps a share of its gear", "[damage]")
{
    World world{settings_for("ant", {"weak:J3=0.3"})};
    CHECK(world.model().actuator_gear[6 * 3] == Approx(45));
    CHECK(world.model().actuator_gear[6 * 2] == 150);
    CHECK(turn_under_full_control(settings_for("ant", {"weak:J2=0.3"}), "hip_1")
          < turn_under_full_control(settings_for("ant"), "hip_1"));
}

TEST_CASE("less friction slides farther", "[damage]")
{
    CHECK(sliding_distance(settings_for("ant", {"friction=0.1"}))
          > 1.5 * sliding_distance(settings_for("ant")));
}

// Origin: the same model compiled by the engine from text in which that capsule is shorter.
TEST_CASE("a shortened body is what a shorter capsule would have been", "[damage]")
{
    World world{settings_for("ant", {"shorten:shank_1=0.7,shorten:thigh_1=0.5"})};
    auto text = model_text("ant");
    auto const replace = [&](std::string const& from, std::string const& to) {
        auto const at = text.find(from);
        REQUIRE(at != std::string::npos);
        text.replace(at, from.size(), to);
    };
    replace(R"("shank_1" class="ankle" fromto="0 0 0 0.4 0.4 0")",
            R"("shank_1" class="ankle" fromto="0 0 0 0.28 0.28 0")");
    replace(R"("thigh_1" fromto="0 0 0 0.2 0.2 0")", R"("thigh_1" fromto="0 0 0 0.1 0.1 0")");
    replace(R"("shank_1" pos="0.2 0.2 0")", R"("shank_1" pos="0.1 0.1 0")");
    auto const expected = compile_model_text("shorter", text);

    auto const& model = world.model();
    for (int i = 0; i < 3 * model.nbody; ++i) {
        CHECK(model.body_pos[i] == Approx(expected->body_pos[i]).margin(1e-12));
        CHECK(model.body_ipos[i] == Approx(expected->body_ipos[i]).margin(1e-12));
    }
    for (int i = 0; i < 3 * model.ngeom; ++i) {
        CHECK(model.geom_size[i] == Approx(expected->geom_size[i]).margin(1e-12));
        CHECK(model.geom_pos[i] == Approx(expected->geom_pos[i]).margin(1e-12));
    }
    for (int body = 0; body < model.nbody; ++body) {
        CHECK(model.body_mass[body] == Approx(expected->body_mass[body]).margin(1e-12));
        CHECK(model.body_subtreemass[body]
              == Approx(expected->body_subtreemass[body]).margin(1e-12));
        std::multiset<double> ours;
        std::multiset<double> theirs;
        for (int i = 0; i < 3; ++i) {
            ours.insert(model.body_inertia[3 * body + i]);
            theirs.insert(expected->body_inertia[3 * body + i]);
        }
        CHECK(*ours.begin() == Approx(*theirs.begin()).margin(1e-12));
        CHECK(*ours.rbegin() == Approx(*theirs.rbegin()).margin(1e-12));
    }
    for (int dof = 0; dof < model.nv; ++dof) {
        CHECK(model.dof_invweight0[dof] == Approx(expected->dof_invweight0[dof]).epsilon(1e-9));
    }
}

TEST_CASE("a body's mass changes by the kilograms asked for", "[damage]")
{
    World const whole{settings_for("ant")};
    World const loaded{settings_for("ant", {"mass:torso=+1.5"})};
    CHECK(loaded.model().body_mass[1] == Approx(whole.model().body_mass[1] + 1.5));
    CHECK(loaded.model().body_subtreemass[0] == Approx(whole.model().body_subtreemass[0] + 1.5));
}

TEST_CASE("damage that makes no sense is refused with what there is", "[damage]")
{
    for (auto const* damage :
         {"J8", "hip_9", "root", "lock:root", "lock:J0", "weak:J0", "weak:J0=2", "weak:J0=x",
          "friction=0", "friction", "friction=+0.5", "shorten:shank_1=1.5", "shorten:nothing=0.5",
          "mass:torso=1.5", "mass:torso=-9", "break:J0", "", "J0,,J1"}) {
        INFO(damage);
        CHECK_THROWS_AS(make_domain(settings_for("ant", {damage})), ConfigError);
    }
    CHECK_THROWS_WITH(make_domain(settings_for("ant", {"J8"})), Catch::Contains("J0..J7"));
    CHECK_THROWS_AS(make_domain(settings_for("sleep", {"J0"})), ConfigError);
}

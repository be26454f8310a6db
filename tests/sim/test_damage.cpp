#include "mees/core/error.hpp"
#include "mees/sim/damage.hpp"
#include "physics.hpp"

#include <cmath>

using namespace mees;
using namespace mees::test;

namespace {

/// The largest rotation of a joint, from rest, under full control of its motor alone.
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

TEST_CASE("a damage is parsed into parts, and its text identifies it", "[damage]")
{
    auto const damage = Damage::parse(" J0 , weak:elbow=0.3,mass:torso=-1.5,friction=2");
    CHECK(damage.text() == "J0,weak:elbow=0.3,mass:torso=-1.5,friction=2");
    REQUIRE(damage.parts().size() == 4);
    CHECK(damage.parts()[0] == Damage::Part{"J0", Damage::Kind::motor, "J0", 0});
    CHECK(damage.parts()[1] == Damage::Part{"weak:elbow=0.3", Damage::Kind::weak, "elbow", 0.3});
    CHECK(damage.parts()[2] == Damage::Part{"mass:torso=-1.5", Damage::Kind::mass, "torso", -1.5});
    CHECK(damage.parts()[3] == Damage::Part{"friction=2", Damage::Kind::friction, "", 2});
    CHECK(Damage::parse("J0,J1") == Damage::parse("J0") + Damage::parse(" J1"));
    CHECK(Damage::parse("J0,J1") == Damage::parse(std::vector<std::string>{"J0", "J1"}));
    CHECK(Damage{}.empty());
    CHECK(Damage{}.text().empty());
    CHECK_THROWS_AS(Damage::parse("melt:torso"), ConfigError);
}

TEST_CASE("the paper's twelve are eight joints and four legs", "[damage]")
{
    auto const damages = paper_damages();
    REQUIRE(damages.size() == 12);
    CHECK(damages[0].text() == "J0");
    CHECK(damages[7].text() == "J7");
    CHECK(damages[8].text() == "J0,J1");
    CHECK(damages[11].text() == "J6,J7");
}

TEST_CASE("a damage replaces the damage of a domain", "[damage]")
{
    auto const intact = make_domain(settings_for("ant"));
    auto const damaged = make_domain(settings_for("ant", {"J0,friction=0.5"}));
    auto const sha256 = [](auto const& domain) { return domain->spec().model_sha256; };
    CHECK(sha256(damaged) == sha256(intact->with_damage(Damage::parse("J0,friction=0.5"))));
    CHECK(sha256(damaged) != sha256(intact));
    CHECK(sha256(damaged->with_damage({})) == sha256(intact));
}

TEST_CASE("a domain without a robot cannot be damaged", "[damage]")
{
    CHECK_THAT(message_of<ConfigError>([] { (void)make_domain(settings_for("sleep", {"J0"})); }),
               Catch::Matchers::ContainsSubstring("the domain sleep cannot be damaged"));
}

TEST_CASE("a damaged motor hardly moves its joint, other motors do", "[damage]")
{
    auto const intact = turn_under_full_control(settings_for("ant"), "hip_4");
    auto const damaged = turn_under_full_control(settings_for("ant", {"J0"}), "hip_4");
    CHECK(intact > 0.3);
    CHECK(damaged < 0.2 * intact);
    CHECK(turn_under_full_control(settings_for("ant", {"J0"}), "hip_1") > 0.3);
}

TEST_CASE("motors are named by number, by name or by joint, in any order", "[damage]")
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

TEST_CASE("joints of the humanoid are damaged by name", "[damage]")
{
    auto const intact = turn_under_full_control(settings_for("deceptive_humanoid"), "right_elbow");
    auto const damaged =
        turn_under_full_control(settings_for("deceptive_humanoid", {"right_elbow"}), "right_elbow");
    CHECK(intact > 0.5);
    CHECK(damaged < 0.5 * intact);
}

TEST_CASE("a locked joint keeps its angle", "[damage]")
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

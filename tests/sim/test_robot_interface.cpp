#include "catch.hpp"
#include "mees/sim/registry.hpp"
#include "mees/sim/robot_interface.hpp"

#include <algorithm>

using namespace mees;

namespace {

RobotInterface interface_of(std::string const& domain)
{
    DomainSettings settings;
    settings.name = domain;
    settings.contact_forces = domain == "ant";
    auto const document = DomainRegistry{}.make(settings)->document();
    REQUIRE(document);
    return robot_interface(*document, "test");
}

}  // namespace

TEST_CASE("the inputs and outputs of the Ant are named in their order")
{
    auto const ant = interface_of("ant");
    // qpos from its third entry (z, the quaternion, eight joints), qvel, then contact forces.
    REQUIRE(ant.inputs.size() == 111);
    CHECK(ant.inputs[0].name == "root.z");
    CHECK(ant.inputs[1].name == "root.qw");
    CHECK(ant.inputs[5].name == "hip_1.position");
    CHECK(ant.inputs[6].name == "ankle_1.position");
    CHECK(ant.inputs[13].name == "root.vx");
    CHECK(ant.inputs[18].name == "root.wz");
    CHECK(ant.inputs[19].name == "hip_1.velocity");
    CHECK(ant.inputs[27].name == "world.cfrc_ext[0]");
    CHECK(ant.inputs[27 + 6].name == "torso.cfrc_ext[0]");
    CHECK(ant.inputs[27].clip == 1.0);
    CHECK_FALSE(ant.inputs[0].clip);
    REQUIRE(ant.outputs.size() == 8);
    std::vector<std::string> joints;
    std::ranges::transform(ant.outputs, std::back_inserter(joints), &RobotInterface::Output::joint);
    CHECK(joints
          == std::vector<std::string>{"hip_4", "ankle_4", "hip_1", "ankle_1", "hip_2", "ankle_2",
                                      "hip_3", "ankle_3"});
    CHECK(ant.outputs[0].lower == -1.0);
    CHECK(ant.outputs[0].upper == 1.0);
    CHECK(ant.control_period == Approx(0.05));
    CHECK(ant.model_sha256.size() == 64);
}

TEST_CASE("an input per entry of the observation in every built-in domain")
{
    for (auto const* domain : {"ant", "ant_maze", "deceptive_humanoid", "point_maze"}) {
        DomainSettings settings;
        settings.name = domain;
        auto const made = DomainRegistry{}.make(settings);
        auto const robot = robot_interface(*made->document(), "test");
        CHECK(std::ssize(robot.inputs) == made->spec().observation_size);
        CHECK(std::ssize(robot.outputs) == made->spec().action_size);
        CHECK(robot.model_sha256 == made->spec().model_sha256);
        CHECK(std::ranges::none_of(robot.inputs, [](auto const& i) { return i.name.empty(); }));
    }
    // x = qpos[0] - 4, divided by 5: the offset of the description.
    auto const maze = interface_of("point_maze");
    CHECK(maze.inputs[0].offset == 4);
    CHECK(maze.inputs[0].scale == 5);
}

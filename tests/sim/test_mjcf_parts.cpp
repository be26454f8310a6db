#include "mees/core/error.hpp"
#include "physics.hpp"
#include "scratch_folder.hpp"

#include <cmath>
#include <fstream>
#include <numbers>

using namespace mees;
using namespace mees::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr double pi = std::numbers::pi;

/// A block that floats without gravity, with an arm whose servo has the range of a real robot's
/// knee, a motor and a keyframe.
constexpr char const* floating_block = R"(
<mujoco model="block">
  <compiler angle="radian"/>
  <option timestep="0.001" gravity="0 0 0"/>
  <worldbody>
    <geom name="floor" type="plane" size="9 9 1"/>
    <body name="block" pos="0 0 1">
      <freejoint/>
      <geom name="block" type="box" size="0.2 0.2 0.2" mass="8"/>
      <body name="arm" pos="0.2 0 0">
        <joint name="knee" type="hinge" axis="0 1 0" range="-2.8 -0.9" limited="true" armature="1"/>
        <geom name="arm" size="0.05" mass="0.1" contype="0" conaffinity="0"/>
      </body>
      <body name="wheel" pos="-0.2 0 0">
        <joint name="axle" type="hinge" axis="0 1 0" armature="1"/>
        <geom name="wheel" size="0.05" mass="0.1" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="knee" joint="knee" kp="2" ctrllimited="true" ctrlrange="-2.8 -0.8"/>
    <motor name="axle" joint="axle" ctrllimited="true" ctrlrange="-1 1"/>
  </actuator>
  <sensor><framepos objtype="body" objname="block"/></sensor>
  <keyframe><key name="home" qpos="0 0 2 1 0 0 0 -1.5 0"/></keyframe>
</mujoco>)";

class BlockModel {
  public:
    explicit BlockModel(std::string const& text = floating_block) { std::ofstream{path_} << text; }

    [[nodiscard]] DomainSettings settings() const
    {
        auto settings = settings_for("mjcf");
        settings.mjcf.model = path_.string();
        settings.mjcf.frame_skip = 1;
        settings.mjcf.reset_noise = 0;
        settings.mjcf.start = "home";
        settings.mjcf.reward = {{.kind = RewardKind::alive}};
        return settings;
    }

  private:
    ScratchFolder folder_;
    std::filesystem::path path_{folder_ / "block.xml"};
};

/// The block at a height, turned about an axis.
std::vector<double> turned(double angle, std::array<double, 3> axis, double z = 2)
{
    double const s = std::sin(angle / 2);
    return {0, 0, z, std::cos(angle / 2), s * axis[0], s * axis[1], s * axis[2], -1.5, 0};
}

constexpr std::array<double, 3> about_y{0, 1, 0};
constexpr std::array<double, 3> about_z{0, 0, 1};

/// The terms of a step without control from that state.
std::vector<double> terms_of(World& world, std::vector<double> const& qpos,
                             std::vector<double> const& qvel = std::vector<double>(8))
{
    world.physics.place(qpos, qvel);
    world.task->step(world.actions());
    return {world.task->terms().begin(), world.task->terms().end()};
}

}  // namespace

TEST_CASE("sensors, centre of mass and orientation can be observed", "[mjcf]")
{
    BlockModel const model;
    auto settings = model.settings();
    settings.mjcf.observation = {ObservationPart::sensordata, ObservationPart::subtree_com,
                                 ObservationPart::orientation};
    World world{settings};
    REQUIRE(world.spec().observation_size == 3 + 3 + 4);
    world.physics.place(turned(1, about_z), world.rest_qvel());
    std::vector<double> observation(10);
    world.task->observe(observation);
    CHECK(observation[2] == Approx(2));
    // The arms are opposite each other, their spheres at the joints.
    CHECK(observation[3] == Approx(0).margin(1e-9));
    CHECK(observation[6] == Approx(std::cos(0.5)));
    CHECK(observation[9] == Approx(std::sin(0.5)));
    settings.mjcf.observation_body = "arm";
    World arm{settings};
    arm.physics.place(turned(0, about_z), world.rest_qvel());
    arm.task->observe(observation);
    CHECK(observation[3] == Approx(0.2));
}

TEST_CASE("rewards of orientation, speed, height and energy have their documented values", "[mjcf]")
{
    BlockModel const model;
    auto settings = model.settings();
    settings.mjcf.reward = {{.kind = RewardKind::heading},
                            {.kind = RewardKind::upright, .weight = 2},
                            {.kind = RewardKind::height},
                            {.kind = RewardKind::lateral_cost},
                            {.kind = RewardKind::target_speed, .weight = 10, .target = 1.5},
                            {.kind = RewardKind::energy_cost}};
    World world{settings};
    auto terms = terms_of(world, turned(pi / 3, about_z, 1.7), {0.5, -0.3, 0, 0, 0, 0, 0, 0});
    CHECK(terms[0] == Approx(0.5));
    CHECK(terms[1] == Approx(2));
    CHECK(terms[2] == Approx(1.7));
    terms = terms_of(world, turned(pi / 3, about_y));
    CHECK(terms[1] == Approx(1));
    CHECK(terms[3] == Approx(0).margin(1e-6));
    CHECK(terms[4] == Approx(-15).margin(0.1));
    // Two steps, because the position that the engine has computed is that before its last step.
    world.physics.place(turned(0, about_y), std::vector{0.5, -0.3, 0., 0., 0., 0., 0., 3.});
    world.task->step(std::vector<double>{0, 1});
    world.task->step(std::vector<double>{0, 1});
    CHECK(world.task->terms()[3] == Approx(-0.3).margin(0.01));
    CHECK(world.task->terms()[4] == Approx(-10).margin(0.1));
    // Force 1 at 3 rad/s; the servo's arm hardly moves.
    CHECK(world.task->terms()[5] == Approx(-3).margin(0.02));
}

TEST_CASE("tilt, contact and distance end an episode", "[mjcf]")
{
    BlockModel const model;
    auto settings = model.settings();
    auto const ends = [&](std::vector<double> const& qpos) {
        World world{settings};
        world.physics.place(qpos, world.rest_qvel());
        return world.task->terminated();
    };
    settings.mjcf.tilt_body = "block";
    settings.mjcf.tilt_upper = 45;
    CHECK_FALSE(ends(turned(44 * pi / 180, about_y)));
    CHECK(ends(turned(46 * pi / 180, about_y)));
    CHECK_FALSE(ends(turned(pi, about_z)));

    settings = model.settings();
    settings.mjcf.end_geoms = {"block"};
    CHECK_FALSE(ends(turned(0, about_z, 0.3)));
    CHECK(ends(turned(0, about_z, 0.19)));

    settings = model.settings();
    settings.mjcf.range_body = "block";
    settings.mjcf.range_upper = 2.5;
    auto far = turned(0, about_z);
    far[0] = -1.8;
    far[1] = 1.8;
    CHECK(ends(far));
    far[1] = 1.7;
    CHECK_FALSE(ends(far));
    settings.terminate = false;
    far[1] = 9;
    CHECK_FALSE(ends(far));
}

TEST_CASE("more behaviours, alone and combined under names of the user", "[mjcf]")
{
    BlockModel const model;
    auto settings = model.settings();
    settings.mjcf.bc = BehaviourKind::final_xz;
    settings.mjcf.bc_extra = {BehaviourKind::mean_height, BehaviourKind::mean_orientation,
                              BehaviourKind::displacement_heading, BehaviourKind::contact_share};
    settings.mjcf.bc_geoms = {"block"};
    using Names = std::vector<std::string>;
    World world{settings};
    CHECK(world.spec().bc_names
          == Names{"x", "z", "height", "roll", "pitch", "yaw", "dx", "dy", "heading", "block"});
    CHECK(world.spec().bc_upper[4] == Approx(pi / 2));
    auto qpos = turned(0.5, about_z);
    qpos[0] = 3;
    world.physics.place(qpos, std::vector{1., 0., 0., 0., 0., 0., 0., 0.});
    for (int step = 0; step < 100; ++step) {
        world.task->step(world.actions());
    }
    auto const bc = world.bc();
    CHECK(bc[0] == Approx(3.1).margin(0.002));
    CHECK(bc[1] == Approx(2).margin(1e-3));
    CHECK(bc[2] == Approx(2).margin(1e-3));
    CHECK(bc[5] == Approx(0.5).margin(0.01));
    CHECK(bc[6] == Approx(0.1).margin(0.002));
    CHECK(bc[7] == Approx(0).margin(1e-3));
    CHECK(bc[8] == Approx(0.5).margin(0.01));
    CHECK(bc[9] == 0);

    settings.mjcf.bc_extra = {BehaviourKind::mean_height};
    settings.mjcf.bc_names = {"forward", "up", "mean up"};
    CHECK(World{settings}.spec().bc_names == settings.mjcf.bc_names);
    settings.mjcf.bc_extra = {BehaviourKind::final_xz};
    CHECK_THROWS_AS(World{settings}, ConfigError);
    settings.mjcf.bc_extra = {BehaviourKind::mean_height};
    settings.mjcf.bc_names = {"forward"};
    CHECK_THROWS_AS(World{settings}, ConfigError);
}

// The block starts at (3, 1) with yaw 0.5 and drifts along the world's x axis by 0.1 m while it
// turns by 2 rad/s for 0.1 s: seen from its start it moves by 0.1 (cos 0.5, -sin 0.5).
TEST_CASE("the displacement is seen from the initial pose, with the turn", "[mjcf]")
{
    BlockModel const model;
    auto settings = model.settings();
    settings.mjcf.bc = BehaviourKind::displacement;
    World world{settings};
    CHECK(world.spec().bc_names == std::vector<std::string>{"dx", "dy", "cos_turn", "sin_turn"});
    CHECK(world.spec().bc_bins == std::vector<std::int64_t>{10, 10, 1, 1});
    auto qpos = turned(0.5, about_z);
    qpos[0] = 3;
    qpos[1] = 1;
    world.physics.place(qpos, std::vector{1., 0., 0., 0., 0., 2., 0., 0.});
    CHECK(world.bc()[0] == 0);
    CHECK(world.bc()[1] == 0);
    CHECK(world.bc()[2] == Approx(1));
    CHECK(world.bc()[3] == Approx(0).margin(1e-12));
    for (int step = 0; step < 100; ++step) {
        world.task->step(world.actions());
    }
    auto const bc = world.bc();
    CHECK(bc[0] == Approx(0.1 * std::cos(0.5)).margin(0.002));
    CHECK(bc[1] == Approx(-0.1 * std::sin(0.5)).margin(0.002));
    CHECK(bc[2] == Approx(std::cos(0.2)).margin(0.01));
    CHECK(bc[3] == Approx(std::sin(0.2)).margin(0.01));
}

TEST_CASE("actions are mapped to the motors' control ranges", "[mjcf]")
{
    BlockModel const model;
    auto settings = model.settings();
    auto const control = [&](double action) {
        World world{settings};
        world.physics.place(turned(0, about_z), world.rest_qvel());
        world.task->step(world.actions(action));
        return std::array{world.data().ctrl[0], world.data().ctrl[1]};
    };
    for (auto const mapping : {ActionMapping::automatic, ActionMapping::ctrlrange}) {
        settings.mjcf.action = mapping;
        CHECK(control(1)[0] == Approx(-0.8));
        CHECK(control(-1)[0] == Approx(-2.8));
        CHECK(control(0)[0] == Approx(-1.8));
        CHECK(control(0.3)[1] == Approx(0.3));
    }
    settings.mjcf.action = ActionMapping::raw;
    CHECK(control(0.3)[0] == 0.3);
    // All ranges are -1..1: the same bits as without a mapping.
    CHECK(make_domain(walker())->document()->description.find("[action]") == std::string::npos);
}

TEST_CASE("a damaged servo stays in the middle of its range", "[mjcf]")
{
    BlockModel const model;
    auto settings = model.settings();
    settings.damage = {"knee"};
    World world{settings};
    CHECK(world.model().actuator_ctrlrange[0] == Approx(-1.81));
    CHECK(world.model().actuator_ctrlrange[1] == Approx(-1.79));
}

TEST_CASE("episodes start in a keyframe", "[mjcf]")
{
    BlockModel const model;
    auto settings = model.settings();
    World world{settings};
    auto stream = stream_of(1);
    world.task->reset(stream);
    CHECK(world.physics.qpos()[2] == 2);
    CHECK(world.joint_angle("knee") == -1.5);
    settings.mjcf.start = "sit";
    CHECK_THAT(message_of<ConfigError>([&] { (void)make_domain(settings); }),
               ContainsSubstring("no keyframe \"sit\"") && ContainsSubstring("home"));
}

TEST_CASE("a robot that cannot work as it is gets warnings", "[mjcf]")
{
    BlockModel const model;
    auto settings = model.settings();
    auto const notes = [&] {
        std::string text;
        auto const domain = make_domain(settings);
        for (auto const& note : domain->spec().notes) {
            text += note + "\n";
        }
        return text;
    };
    CHECK_THAT(notes(),
               ContainsSubstring("mapped to the control range") && !ContainsSubstring("outside"));
    settings.mjcf.start = "";
    CHECK_THAT(notes(), ContainsSubstring("knee at 0, outside -2.8..-0.9")
                            && ContainsSubstring("such as \"home\""));
    settings.mjcf.action = ActionMapping::raw;
    CHECK_THAT(notes(),
               ContainsSubstring("do not match the control range -2.8..-0.8 of motor knee"));
    CHECK(make_domain(walker())->spec().notes.empty());

    std::string text{floating_block};
    text.replace(text.find("kp=\"2\""), 6, "kp=\"0\"");
    text.replace(text.find("<motor name=\"axle\""), 18, "<motor name=\"axle\" gear=\"0\"");
    BlockModel const paralysed{text};
    settings = paralysed.settings();
    CHECK_THAT(notes(), ContainsSubstring("the robot does not move"));
}

#include "mees/core/error.hpp"
#include "physics.hpp"
#include "scratch_folder.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

using namespace mees;
using namespace mees::test;

namespace {

/// A cart on a rail with a site one metre ahead of its start, and a foot that can be lowered.
constexpr char const* cart = R"(
<mujoco>
  <option timestep="0.01" gravity="0 0 0"/>
  <worldbody>
    <geom name="floor" type="plane" size="9 9 1"/>
    <site name="flag" pos="1 2 0.5"/>
    <body name="cart" pos="0 0 0.5">
      <joint name="rail" type="slide" axis="1 0 0"/>
      <geom name="cart" size="0.1" mass="1" contype="0" conaffinity="0"/>
      <body name="foot">
        <joint name="lift" type="slide" axis="0 0 1"/>
        <geom name="foot" size="0.1" mass="1"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="rail"/><motor joint="lift"/></actuator>
</mujoco>)";

class CartModel {
  public:
    CartModel() { std::ofstream{path_} << cart; }

    [[nodiscard]] DomainSettings settings() const
    {
        auto settings = settings_for("mjcf");
        settings.mjcf.model = path_.string();
        settings.mjcf.frame_skip = 2;
        settings.mjcf.reset_noise = 0;
        settings.mjcf.reward = {{.kind = RewardKind::alive}};
        return settings;
    }

  private:
    ScratchFolder folder_;
    std::filesystem::path path_{folder_ / "cart.xml"};
};

void drive(World& world, double rail, double lift, int steps)
{
    for (int step = 0; step < steps; ++step) {
        world.task->step(std::vector<double>{rail, lift});
    }
}

}  // namespace

TEST_CASE("the observation size of a described domain is the sum of its parts", "[mjcf]")
{
    CartModel const model;
    auto settings = model.settings();
    settings.mjcf.observation = {ObservationPart::qpos,          ObservationPart::qvel,
                                 ObservationPart::cinert,        ObservationPart::cvel,
                                 ObservationPart::qfrc_actuator, ObservationPart::cfrc_ext};
    settings.mjcf.observation_skip = 1;
    World world{settings};
    CHECK(world.spec().observation_size == 1 + 2 + 30 + 18 + 2 + 18);
    CHECK(world.spec().action_size == 2);
    CHECK(world.spec().episode_steps == 1000);
    CHECK(world.spec().seconds_per_step == Approx(0.02));
    auto stream = stream_of(1);
    world.task->reset(stream);
    std::vector<double> observation(71);
    world.task->observe(observation);
    CHECK(observation[0] == world.physics.qpos()[1]);
}

// Origin: force 1 on 2 kg for the time t moves t^2/4 ahead, up to the integrator's step.
TEST_CASE("each reward term has its documented value", "[mjcf]")
{
    CartModel const model;
    auto settings = model.settings();
    settings.mjcf.reward = {{.kind = RewardKind::forward_velocity, .body = "cart", .weight = 2},
                            {.kind = RewardKind::control_cost, .weight = 0.5},
                            {.kind = RewardKind::alive, .weight = 3},
                            {.kind = RewardKind::distance, .body = "cart", .site = "flag"},
                            {.kind = RewardKind::distance, .body = "cart", .point = {0, 2}}};
    World world{settings};
    world.physics.place(world.rest_qpos(), world.rest_qvel());
    drive(world, 1, 0, 100);
    double const x = world.data().xpos[3];
    CHECK(x == Approx(1).margin(0.03));
    auto const terms = world.task->terms();
    CHECK(terms[0] == Approx(2 * 1.0).margin(0.05));
    CHECK(terms[1] == -0.5);
    CHECK(terms[2] == 3);
    CHECK(terms[3] == Approx(-std::hypot(x - 1, 2)));
    CHECK(terms[4] == Approx(-std::hypot(x, 2)));
    CHECK(world.task->reward() == Approx(terms[0] + terms[1] + terms[2] + terms[3] + terms[4]));
}

TEST_CASE("each BC has its documented value", "[mjcf]")
{
    CartModel const model;
    auto settings = model.settings();
    SECTION("final position")
    {
        World world{settings};
        world.physics.place(world.rest_qpos(), world.rest_qvel());
        drive(world, 1, 0, 100);
        CHECK(world.bc()[0] == Approx(1).margin(0.03));
        CHECK(world.bc()[1] == 0);
    }
    SECTION("mean velocity")
    {
        settings.mjcf.bc = BehaviourKind::mean_velocity;
        World world{settings};
        world.physics.place(world.rest_qpos(), world.rest_qvel());
        drive(world, 1, 0, 100);
        CHECK(world.bc()[0] == Approx(0.5).margin(0.02));
    }
    SECTION("contact share")
    {
        settings.mjcf.bc = BehaviourKind::contact_share;
        settings.mjcf.bc_geoms = {"foot"};
        settings.mjcf.frame_skip = 1;
        World world{settings};
        CHECK(world.spec().bc_names == std::vector<std::string>{"foot"});
        CHECK(world.spec().bc_upper == std::vector<double>{1});
        world.physics.place(world.rest_qpos(), world.rest_qvel());
        auto const hold = [&](double height, int steps) {
            for (int step = 0; step < steps; ++step) {
                world.data().qpos[1] = height;
                world.data().qvel[1] = 0;
                drive(world, 0, 0, 1);
            }
        };
        hold(-0.41, 30);
        CHECK(world.bc()[0] == 1);
        hold(0, 60);
        CHECK(world.bc()[0] == Approx(1.0 / 3));
    }
}

TEST_CASE("a described domain ends when a body leaves its height range", "[mjcf]")
{
    CartModel const model;
    auto settings = model.settings();
    settings.mjcf.height_body = "foot";
    settings.mjcf.height_lower = 0.3;
    settings.mjcf.height_upper = 0.7;
    World world{settings};
    auto qpos = world.rest_qpos();
    for (auto const& [lift, ends] : {std::pair{0.0, false}, {0.3, true}, {-0.3, true}}) {
        qpos[1] = lift;
        world.physics.place(qpos, world.rest_qvel());
        CHECK(world.task->terminated() == ends);
    }
    settings.terminate = false;
    World patient{settings};
    patient.physics.place(qpos, patient.rest_qvel());
    CHECK_FALSE(patient.task->terminated());
}

TEST_CASE("a description that does not fit its model is refused", "[mjcf]")
{
    CartModel const model;
    auto const refused = [&](auto change) {
        auto settings = model.settings();
        change(settings.mjcf);
        CHECK_THROWS_AS(make_domain(settings), ConfigError);
    };
    refused([](MjcfSettings& s) { s.reward.clear(); });
    refused([](MjcfSettings& s) { s.reward[0].body = "wheel"; });
    refused([](MjcfSettings& s) { s.reward[0] = {.kind = RewardKind::distance}; });
    refused([](MjcfSettings& s) { s.reward[0] = {.kind = RewardKind::distance, .site = "pole"}; });
    refused([](MjcfSettings& s) { s.reward[0] = {.kind = RewardKind::distance, .point = {1}}; });
    refused([](MjcfSettings& s) { s.bc = BehaviourKind::contact_share; });
    refused([](MjcfSettings& s) { s.bc_body = "wheel"; });
    refused([](MjcfSettings& s) { s.height_body = "wheel"; });
    refused([](MjcfSettings& s) { s.observation_skip = 3; });
    refused([](MjcfSettings& s) {
        s.observation = {ObservationPart::qpos};
        s.observation_skip = 2;
    });
    auto missing = model.settings();
    missing.mjcf.model = "no-such-model.xml";
    CHECK_THROWS_AS(make_domain(missing), FileError);
}

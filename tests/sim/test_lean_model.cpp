#include "mees/sim/lean_model.hpp"
#include "physics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

using namespace mees;
using namespace mees::test;

namespace {

/// Makes the engine's steps of an episode with the whole model.
struct WholeEngine {
    explicit WholeEngine(Domain const& domain)
        : model{domain.whole_model()}, data{make_data(*model)}
    {
    }

    void place(std::span<double const> qpos, std::span<double const> qvel) const
    {
        mj_resetData(model.get(), data.get());
        std::ranges::copy(qpos, data->qpos);
        std::ranges::copy(qvel, data->qvel);
        mj_forward(model.get(), data.get());
    }
    void step(std::span<double const> action, double seconds) const
    {
        std::ranges::copy(action, data->ctrl);
        for (auto i = std::lround(seconds / model->opt.timestep); i > 0; --i) {
            mj_step(model.get(), data.get());
        }
    }

    ModelPtr model;
    DataPtr data;
};

/// The same bits; NaN, which nothing equals, counts as a failure of the comparison.
bool same(std::span<double const> values, mjtNum const* others)
{
    return std::equal(values.begin(), values.end(), others);
}

/// Drives both with the same wild motors, held for 1 to 7 steps. Returns how many contacts it saw.
std::int64_t compare(DomainSettings const& settings, std::int64_t seed, int steps)
{
    World world{settings};
    WholeEngine const whole{*world.domain};
    auto stream = stream_of(seed);
    world.task->reset(stream);
    whole.place(world.physics.qpos(), world.physics.qvel());
    std::int64_t contacts = 0;
    auto action = world.actions();
    for (int step = 0; step < steps; ++step) {
        if (step % (seed % 7 + 1) == 0) {
            std::ranges::generate(action, [&] { return stream.uniform(-1.5, 1.5); });
        }
        world.task->step(action);
        whole.step(action, world.spec().seconds_per_step);
        contacts += world.data().ncon;
        CAPTURE(settings.name, seed, step);
        REQUIRE(same(world.physics.qpos(), whole.data->qpos));
        REQUIRE(same(world.physics.qvel(), whole.data->qvel));
        REQUIRE(world.data().ncon == whole.data->ncon);
    }
    return contacts;
}

}  // namespace

TEST_CASE("episodes move as with the whole model, to the bit", "[lean]")
{
    for (auto const* name : {"ant", "ant_maze", "deceptive_humanoid", "point_maze", "mjcf"}) {
        std::int64_t contacts = 0;
        for (std::int64_t seed = 1; seed <= 4; ++seed) {
            contacts += compare(example_of(name), seed, 150);
        }
        CHECK(contacts > 0);
    }
}

TEST_CASE("damaged robots and other integrators move as with the whole model", "[lean]")
{
    for (auto const* damage : {"J0,J1", "friction=0.3", "shorten:shank_1=0.6", "mass:torso=+2",
                               "lock:hip_2", "weak:J4=0.2"}) {
        CHECK(compare(settings_for("ant", {damage}), 3, 100) > 0);
    }
    for (auto const* integrator : {"euler", "rk4"}) {
        auto settings = settings_for("ant");
        settings.integrator = integrator;
        CHECK(compare(settings, 2, 300) > 0);
    }
    CHECK(compare(settings_for("deceptive_humanoid", {"right_knee"}), 2, 100) > 0);
}

#if mjVERSION_HEADER >= 3014000

TEST_CASE("a lean model lacks what moves nothing", "[lean]")
{
    auto const ant = compile_shipped_model("ant", Detail::lean);
    CHECK(ant->ncam == 0);
    CHECK(ant->nlight == 0);
    CHECK(ant->npair == 13);
    auto const humanoid = compile_shipped_model("deceptive_humanoid", Detail::lean);
    CHECK(compile_shipped_model("deceptive_humanoid")->ntendon == 2);
    CHECK(humanoid->ntendon == 0);
    CHECK(humanoid->npair == 0);                                         // it touches itself
    CHECK(compile_shipped_model("ant_maze", Detail::lean)->npair == 0);  // walls
}

TEST_CASE("what moves a robot stays in its lean model", "[lean]")
{
    constexpr auto text = R"(<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body pos="0 0 1"><joint name="hinge" frictionloss="0.1"/><geom name="leg" size="0.1"/>
        </body></worldbody>
        <tendon><fixed name="cord" stiffness="2"><joint joint="hinge" coef="1"/></fixed></tendon>
        <sensor><jointpos joint="hinge"/></sensor></mujoco>)";
    auto const model = compile_model_text("leg", text, Detail::lean);
    CHECK(model->ntendon == 1);
    CHECK((model->opt.disableflags & (mjDSBL_FRICTIONLOSS | mjDSBL_SENSOR)) == 0);
    CHECK((model->opt.disableflags & mjDSBL_EQUALITY) != 0);
    for (auto const* pull : {"damping='0 1'", "stiffness='0 1'", "limited='true' range='0 1'"}) {
        auto const pulling = fmt::format(
            "<mujoco><worldbody><body><joint name='hinge'/><geom size='0.1' pos='0.3 0 0'/></body>"
            "</worldbody><tendon><fixed {}><joint joint='hinge' coef='1'/></fixed></tendon>"
            "</mujoco>",
            pull);
        CHECK(compile_model_text("cord", pulling, Detail::lean)->ntendon == 1);
    }
}

TEST_CASE("a lean model that would lose bodies or geoms is not made", "[lean]")
{
    // What the compiler may fuse or discard is kept by a camera that looks at it, or by a tendon
    // around it.
    for (auto const* text : {R"(<mujoco><compiler fusestatic="true"/><worldbody>
             <camera mode="targetbody" target="seen" pos="1 1 1"/><body name="seen"/>
             <body><joint/><geom size="0.1" pos="0.3 0 0"/></body></worldbody></mujoco>)",
                             R"(<mujoco><compiler discardvisual="true"/><worldbody>
             <geom name="floor" type="plane" size="1 1 1"/>
             <body pos="0 0 0.1"><freejoint/><geom name="leg" size="0.1"/></body>
             <body pos="0 0 1"><joint/><geom size="0.1" contype="2" conaffinity="2"/></body>
             </worldbody></mujoco>)",
                             R"(<mujoco><compiler discardvisual="true"/><worldbody>
             <body pos="0 0 0.1"><freejoint/><geom name="pulley" size="0.02" contype="0" conaffinity="0"/>
             <geom size="0.1"/><site name="a" pos="0.1 0 0"/><site name="b" pos="-0.1 0 0"/></body>
             </worldbody><tendon><spatial><site site="a"/><geom geom="pulley"/><site site="b"/></spatial>
             </tendon></mujoco>)"}) {
        auto const whole = compile_model_text("seen", text);
        auto const lean = compile_model_text("seen", text, Detail::lean);
        CHECK(model_sha256(*lean) == model_sha256(*whole));
    }
}

TEST_CASE("a lean model that moves otherwise is noticed", "[lean]")
{
    auto const whole = compile_shipped_model("deceptive_humanoid");
    auto const lean = compile_shipped_model("deceptive_humanoid", Detail::lean);
    CHECK(make_alike(*lean, *whole));
    lean->dof_damping[8] *= 1.000001;
    CHECK_FALSE(make_alike(*lean, *whole));
}

TEST_CASE("contacts that a list of pairs cannot give are noticed", "[lean]")
{
    auto const whole = compile_shipped_model("ant");
    auto const lean = compile_shipped_model("ant", Detail::lean);
    CHECK(make_alike(*lean, *whole));
    auto const legless = copy_model(*whole);
    std::fill_n(legless->geom_contype + 4, 1, 0);
    std::fill_n(legless->body_contype + 4, 1, 0);
    CHECK_FALSE(make_alike(*lean, *legless));
}

#endif

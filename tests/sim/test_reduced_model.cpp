#include "mees/sim/detail/compile.hpp"
#include "mees/sim/detail/reduced_model.hpp"
#include "physics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

using namespace mees;
using namespace mees::test;

namespace {

/// Makes the engine's steps of an episode with the full model.
struct FullEngine {
    explicit FullEngine(Domain const& domain) : model{domain.full_model()}, data{make_data(*model)}
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

/// Bit-identical; NaN, which equals nothing, counts as different.
bool same(std::span<double const> values, mjtNum const* others)
{
    return std::equal(values.begin(), values.end(), others);
}

/// Drives both with the same random controls, held for 1 to 7 steps. Returns the number of
/// contacts.
std::int64_t compare(DomainSettings const& settings, std::int64_t seed, int steps)
{
    World world{settings};
    FullEngine const full{*world.domain};
    auto stream = stream_of(seed);
    world.task->reset(stream);
    full.place(world.physics.qpos(), world.physics.qvel());
    std::int64_t contacts = 0;
    auto action = world.actions();
    for (int step = 0; step < steps; ++step) {
        if (step % (seed % 7 + 1) == 0) {
            std::ranges::generate(action, [&] { return stream.uniform(-1.5, 1.5); });
        }
        world.task->step(action);
        full.step(action, world.spec().seconds_per_step);
        contacts += world.data().ncon;
        CAPTURE(settings.name, seed, step);
        REQUIRE(same(world.physics.qpos(), full.data->qpos));
        REQUIRE(same(world.physics.qvel(), full.data->qvel));
        REQUIRE(world.data().ncon == full.data->ncon);
    }
    return contacts;
}

}  // namespace

TEST_CASE("episodes are bit-identical to those of the full model", "[reduced]")
{
    for (auto const* name : {"ant", "ant_maze", "deceptive_humanoid", "point_maze", "mjcf"}) {
        std::int64_t contacts = 0;
        for (std::int64_t seed = 1; seed <= 4; ++seed) {
            contacts += compare(example_of(name), seed, 150);
        }
        CHECK(contacts > 0);
    }
}

TEST_CASE("damaged robots and other integrators move as with the full model", "[reduced]")
{
    for (auto const* damage : {"J0,J1", "friction=0.3", "shorten:shank_1=0.6", "mass:torso=+2",
                               "lock:hip_2", "weak:J4=0.2"}) {
        CHECK(compare(settings_for("ant", {damage}), 3, 100) > 0);
    }
    for (auto const integrator : {Integrator::euler, Integrator::rk4}) {
        auto settings = settings_for("ant");
        settings.integrator = integrator;
        CHECK(compare(settings, 2, 300) > 0);
    }
    CHECK(compare(settings_for("deceptive_humanoid", {"right_knee"}), 2, 100) > 0);
}

#if mjVERSION_HEADER >= 3014000

TEST_CASE("a reduced model lacks what has no effect on motion", "[reduced]")
{
    auto const ant = compile_shipped_model("ant").reduced;
    CHECK(ant->ncam == 0);
    CHECK(ant->nlight == 0);
    CHECK(ant->npair == 13);
    auto const humanoid = compile_shipped_model("deceptive_humanoid");
    CHECK(humanoid.full->ntendon == 2);
    CHECK(humanoid.reduced->ntendon == 0);
    CHECK(humanoid.reduced->npair == 0);                           // it touches itself
    CHECK(compile_shipped_model("ant_maze").reduced->npair == 0);  // walls
}

TEST_CASE("a reduced model keeps what affects motion", "[reduced]")
{
    constexpr auto text = R"(<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body pos="0 0 1"><joint name="hinge" frictionloss="0.1"/><geom name="leg" size="0.1"/>
        </body></worldbody>
        <tendon><fixed name="cord" stiffness="2"><joint joint="hinge" coef="1"/></fixed></tendon>
        <sensor><jointpos joint="hinge"/></sensor></mujoco>)";
    auto const model = compile_model_text("leg", text).reduced;
    CHECK(model->ntendon == 1);
    CHECK((model->opt.disableflags & (mjDSBL_FRICTIONLOSS | mjDSBL_SENSOR)) == 0);
    CHECK((model->opt.disableflags & mjDSBL_EQUALITY) != 0);
    for (auto const* pull : {"damping='0 1'", "stiffness='0 1'", "limited='true' range='0 1'"}) {
        auto const pulling = fmt::format(
            "<mujoco><worldbody><body><joint name='hinge'/><geom size='0.1' pos='0.3 0 0'/></body>"
            "</worldbody><tendon><fixed {}><joint joint='hinge' coef='1'/></fixed></tendon>"
            "</mujoco>",
            pull);
        CHECK(compile_model_text("cord", pulling).reduced->ntendon == 1);
    }
}

TEST_CASE("no reduced model is made if it would lose bodies or geoms", "[reduced]")
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
        CHECK(compile_model_text("seen", text).reduced == nullptr);
    }
}

TEST_CASE("a reduced model that moves differently is detected", "[reduced]")
{
    auto const [full, reduced] = compile_shipped_model("deceptive_humanoid");
    CHECK(match_contacts(*reduced, *full));
    reduced->dof_damping[8] *= 1.000001;
    CHECK_FALSE(match_contacts(*reduced, *full));
}

TEST_CASE("contacts that a list of pairs cannot reproduce are detected", "[reduced]")
{
    auto const [full, reduced] = compile_shipped_model("ant");
    CHECK(match_contacts(*reduced, *full));
    auto const legless = copy_model(*full);
    std::fill_n(legless->geom_contype + 4, 1, 0);
    std::fill_n(legless->body_contype + 4, 1, 0);
    CHECK_FALSE(match_contacts(*reduced, *legless));
}

#endif

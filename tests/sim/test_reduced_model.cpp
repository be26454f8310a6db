#include "mees/sim/detail/compile.hpp"
#include "mees/sim/detail/model_steps.hpp"
#include "mees/sim/detail/reduced_model.hpp"
#include "mees/sim/detail/walls.hpp"
#include "physics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

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
    auto const compiled = compile_shipped_model("deceptive_humanoid");
    auto const& full = compiled.full;
    auto const& reduced = compiled.reduced;
    CHECK(match_contacts(*reduced, *full));
    reduced->dof_damping[8] *= 1.000001;
    CHECK_FALSE(match_contacts(*reduced, *full));
}

TEST_CASE("contacts that a list of pairs cannot reproduce are detected", "[reduced]")
{
    auto const compiled = compile_shipped_model("ant");
    auto const& full = compiled.full;
    auto const& reduced = compiled.reduced;
    CHECK(match_contacts(*reduced, *full));
    auto const legless = copy_model(*full);
    std::fill_n(legless->geom_contype + 4, 1, 0);
    std::fill_n(legless->body_contype + 4, 1, 0);
    CHECK_FALSE(match_contacts(*reduced, *legless));
}

namespace {

/// A robot among walls, and the models that its episodes are simulated with.
struct Maze {
    explicit Maze(std::string const& name) : compiled{compile_shipped_model(name)}
    {
        compiled.without_walls = without_walls(*compiled.reduced, *compiled.full);
        REQUIRE(compiled.without_walls);
    }

    CompiledModel compiled;
};

bool at_a_wall(mjModel const& model, mjData const& data)
{
    return std::any_of(data.contact, data.contact + data.ncon, [&](mjContact const& contact) {
        return model.geom_type[contact.geom[1]] == mjGEOM_BOX;
    });
}

/// Lets a robot slide towards a wall. Returns how many steps it touched one, and how many were made
/// without walls; all bit-identical to those of the full model.
std::pair<int, std::int64_t> slide(Maze const& maze, std::array<double, 3> from, double speed,
                                   int steps)
{
    auto const& walled = *maze.compiled.reduced;
    ModelSteps engine{walled, maze.compiled.without_walls.get()};
    auto const data = make_data(walled);
    auto const full = make_data(*maze.compiled.full);
    for (auto const* each : {data.get(), full.get()}) {
        std::ranges::copy(from, each->qpos);
        each->qvel[0] = speed;
        each->qvel[1] = -speed / 4;
        each->qvel[3] = 3;
    }
    int touching = 0;
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < walled.nu; ++i) {
            data->ctrl[i] = full->ctrl[i] = std::sin(0.1 * step + i);
        }
        engine.step(*data);
        mj_step(maze.compiled.full.get(), full.get());
        CAPTURE(from[0], speed, step);
        REQUIRE(same({data->qpos, static_cast<std::size_t>(walled.nq)}, full->qpos));
        REQUIRE(same({data->qvel, static_cast<std::size_t>(walled.nv)}, full->qvel));
        REQUIRE(same({data->qacc, static_cast<std::size_t>(walled.nv)}, full->qacc));
        REQUIRE(data->ncon == full->ncon);
        touching += at_a_wall(walled, *data) ? 1 : 0;
    }
    return {touching, engine.open_steps()};
}

}  // namespace

TEST_CASE("walls are left out only where the robot cannot touch them", "[reduced]")
{
    Maze const maze{"ant_maze"};
    // The barrier is at x = 9.7 .. 10.3 for y from -30 to 0; the ant reaches 1.3 m.
    auto const [touching, open] = slide(maze, {6, -10, 0.5}, 8, 200);
    CHECK(touching > 10);
    CHECK(open > 20);
    CHECK(open < 150);
    auto const [corner, none] = slide(maze, {-28.8, -28.5, 0.5}, -3, 200);
    CHECK(corner > 10);
    CHECK(none == 0);
    CHECK(slide(maze, {-25, -25, 0.6}, 0, 100) == std::pair{0, std::int64_t{100}});
    // As fast as this it is beyond the barrier when the engine looks for contacts again.
    CHECK(slide(maze, {6, -10, 0.5}, 1e4, 1).second == 0);
    CHECK(slide(maze, {-25, -25, 0.6}, std::nan(""), 1).second == 0);
}

TEST_CASE("walls are left out for a humanoid until it reaches the trap", "[reduced]")
{
    Maze const maze{"deceptive_humanoid"};
    auto const [touching, open] = slide(maze, {-1, 0, 1.4}, 9, 400);
    CHECK(touching > 0);
    CHECK(open > 0);
    CHECK(open < 400);
}

TEST_CASE("walls are not left out if that could change contacts with the floor", "[reduced]")
{
    auto const reduced_of = [](std::string const& floor, std::string const& wall) {
        return compile_model_text("robot", fmt::format(R"(<mujoco><worldbody>
            <geom name="floor" type="plane" size="9 9 1" {}/><geom type="box" size="1 .1 {}" pos="3 0 0"/>
            <geom type="box" size="1 .1 1" pos="9 0 0"/><body pos="0 0 1"><freejoint/>
            <geom size="0.1"/></body></worldbody></mujoco>)",
                                                       floor, wall))
            .reduced;
    };
    CHECK(copy_without_walls(*reduced_of("", "2")));
    CHECK_FALSE(copy_without_walls(*reduced_of("euler='20 0 0'", "2")));  // not level
    CHECK_FALSE(copy_without_walls(*reduced_of("pos='0 0 1.5'", "1")));   // above the walls
}

TEST_CASE("the clearance of walls is that of the farthest leg", "[reduced]")
{
    // Torso to shank: twice 0.2 sqrt(2), then half of 0.4 sqrt(2) to the middle of a capsule whose
    // sphere has this half and 0.08 as its radius; margins of 0.01 + 0.01; 0.01 for rounding.
    double const reach = 1.6 * std::sqrt(0.5) + 0.08 + 0.03;
    Maze const maze{"ant_maze"};
    auto const walls = Walls::of(*maze.compiled.full);
    REQUIRE(walls);
    // From the west wall, whose face is at x = -29.7, and from the barrier's, at x = 9.7.
    CHECK(walls->clearance(std::array{-25., 5., 0.6}.data()) == Approx(4.7 - reach));
    CHECK(walls->clearance(std::array{8., -10., 0.6}.data()) == Approx(1.7 - reach));
    CHECK(walls->clearance(std::array{10., -10., 0.6}.data()) < 0);
    CHECK_FALSE(walls->clearance(std::array{std::nan(""), 0., 0.}.data()) > 0);
    CHECK_FALSE(Walls::of(*compile_shipped_model("ant").full));
    CHECK_FALSE(Walls::of(*compile_shipped_model("point_maze").full));
}

TEST_CASE("the stages of a step are known afterwards", "[reduced]")
{
    auto const model = compile_shipped_model("ant_maze").full;
    auto const data = make_data(*model);
    std::fill_n(data->ctrl, model->nu, 0.9);
    data->qvel[0] = 4;
    data->qvel[2] = -3;
    for (int step = 0; step < 60; ++step) {
        // The method's first stages, with the engine's forces: v2 = v1 + h/2 a1, v3 = v1 + h/2 a2.
        auto const stage = make_data(*model);
        mj_copyState(model.get(), data.get(), stage.get(), mjSTATE_INTEGRATION);
        std::vector<double> const position{data->qpos, data->qpos + model->nq};
        std::vector<double> const velocity{data->qvel, data->qvel + model->nv};
        double const half = model->opt.timestep / 2;
        std::array<std::vector<double>, 3> velocities{velocity, velocity, velocity};
        for (std::size_t i = 1; i < 3; ++i) {
            mj_forward(model.get(), stage.get());
            for (std::size_t j = 0; j < velocity.size(); ++j) {
                velocities[i][j] += half * stage->qacc[j];
            }
            std::ranges::copy(position, stage->qpos);
            mj_integratePos(model.get(), stage->qpos, velocities[i - 1].data(), half);
            std::ranges::copy(velocities[i], stage->qvel);
        }
        mj_step(model.get(), data.get());
        auto const ways = ways_in_runge_kutta(*model, *data, std::span{position}.first<3>(),
                                              std::span{velocity}.first<3>());
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(ways[0][i] == Approx(half * velocities[0][i]).margin(1e-9));
            CHECK(ways[1][i] == Approx(half * velocities[1][i]).margin(1e-7));
            CHECK(ways[2][i] == Approx(2 * half * velocities[2][i]).margin(1e-7));
        }
    }
}

#endif

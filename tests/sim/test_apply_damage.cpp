#include "catch.hpp"
#include "mees/sim/registry.hpp"

#include "mees/core/error.hpp"
#include "mees/core/stream.hpp"
#include "mees/sim/damage.hpp"
#include "mees/sim/detail/compile.hpp"
#include "mees/sim/task.hpp"
#include "physics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

using namespace mees;
using mees::test::compile_model_text;
using mees::test::compile_shipped_model;

namespace {

int id(mjModel const& model, mjtObj type, char const* name)
{
    int const id = mj_name2id(&model, type, name);
    REQUIRE(id >= 0);
    return id;
}

MutableModel shipped(std::string const& name)
{
    return compile_shipped_model(name).full;
}

MutableModel damaged(MutableModel model, std::string_view damage)
{
    Damage::parse(damage).apply(*model);
    return model;
}

MutableModel damaged_ant(std::string_view damage)
{
    return damaged(shipped("ant"), damage);
}

/// A two-limbed robot whose upper limb is `length` long and carries a servo, on a floor.
MutableModel limb(double length)
{
    auto const text = fmt::format(R"(
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" friction="0.8 0.1 0.1"/>
    <body name="trunk" pos="0 0 0.6">
      <freejoint/>
      <geom type="box" size="0.1 0.1 0.1" density="500"/>
      <body name="upper" pos="0.1 0 0">
        <joint name="shoulder" axis="0 1 0" damping="0.1"/>
        <geom type="capsule" fromto="0 0 0 {0} 0 0" size="0.03" density="800"/>
        <geom type="sphere" pos="{0} 0 0" size="0.05" density="800"/>
        <site name="tip" pos="{0} 0 0"/>
        <body name="lower" pos="{0} 0 0">
          <joint name="elbow" axis="0 1 0" damping="0.1" range="-60 60" limited="true"/>
          <geom type="capsule" fromto="0 0 0 0.2 0 -0.2" size="0.03" density="800"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <general name="servo" joint="shoulder" gear="2" gainprm="20" biastype="affine"
             biasprm="0 -20 -3" forcelimited="true" forcerange="-8 8"/>
    <motor name="motor" joint="elbow" gear="5" ctrllimited="true" ctrlrange="-1 1"/>
  </actuator>
</mujoco>)",
                                  length);
    return compile_model_text("limb", text).full;
}

/// The state after a second of falling and moving.
std::vector<double> final_state(mjModel const& model)
{
    auto const data = make_data(model);
    for (int step = 0; step < 500; ++step) {
        data->ctrl[0] = std::sin(0.02 * step);
        data->ctrl[1] = std::cos(0.03 * step);
        mj_step(&model, data.get());
    }
    return {data->qpos, data->qpos + model.nq};
}

void refused(std::string_view damage, char const* because)
{
    INFO(damage);
    CHECK_THAT(message_of<ConfigError>([&] { (void)damaged_ant(damage); }),
               Catch::Matchers::ContainsSubstring(because));
}

}  // namespace

TEST_CASE("a damaged motor has a control range of -0.01..0.01")
{
    auto const intact = shipped("ant");
    // J0 is hip 4, J3 is ankle 1.
    for (auto const* words : {"J0,J3", "hip_4,ankle_1", " J0 , ankle_1 "}) {
        auto const model = damaged_ant(words);
        for (int motor = 0; motor < model->nu; ++motor) {
            double const limit = motor == 0 || motor == 3 ? 0.01 : 1.0;
            CHECK(model->actuator_ctrlrange[2 * motor] == -limit);
            CHECK(model->actuator_ctrlrange[2 * motor + 1] == limit);
            CHECK(model->actuator_gear[6 * motor] == intact->actuator_gear[6 * motor]);
        }
    }
    auto listed = shipped("ant");
    (Damage::parse("J0") + Damage::parse("J3")).apply(*listed);
    CHECK(model_sha256(*listed) == model_sha256(*damaged_ant("J0,J3")));
    CHECK(model_sha256(*listed) != model_sha256(*intact));
}

TEST_CASE("a locked joint does not move")
{
    DomainSettings settings;
    settings.name = "ant";
    settings.damage = {"lock:hip_1,lock:ankle_2"};
    auto const domain = DomainRegistry{}.make(settings);
    auto const task = domain->make_task();
    auto const& physics = dynamic_cast<PhysicsTask const&>(*task);
    auto const& model = physics.model();
    auto const hip = model.jnt_qposadr[id(model, mjOBJ_JOINT, "hip_1")];
    auto const ankle = model.jnt_qposadr[id(model, mjOBJ_JOINT, "ankle_2")];
    auto const free_hip = model.jnt_qposadr[id(model, mjOBJ_JOINT, "hip_3")];
    constexpr double held_ankle = -30 * 3.14159265358979 / 180;

    Stream stream{1, Purpose::test, Generation{0}};
    task->reset(stream);
    double moved = 0;
    for (int step = 0; step < 200; ++step) {
        double const push = step / 20 % 2 == 0 ? 1.0 : -1.0;
        task->step(std::vector<double>(8, push));
        if (step >= 20) {
            CHECK(std::abs(physics.qpos()[hip]) < 0.02);
            CHECK(std::abs(physics.qpos()[ankle] - held_ankle) < 0.02);
            moved = std::max(moved, std::abs(physics.qpos()[free_hip]));
        }
    }
    CHECK(moved > 0.3);
}

TEST_CASE("a weak motor keeps that share of its force")
{
    auto const force = [](mjModel const& model, int motor, double control) {
        auto const data = make_data(model);
        data->qpos[7] = 0.2;
        data->qvel[6] = 0.5;
        data->ctrl[motor] = control;
        mj_forward(&model, data.get());
        return data->qfrc_actuator[6 + motor];
    };
    auto const intact = limb(0.4);
    auto const weak = damaged(limb(0.4), "weak:servo=0.25,weak:elbow=0.5");
    // Gear 2: the servo sees an angle of 0.4 and a speed of 1, and gives twice its force.
    CHECK(force(*intact, 0, 0.6) == Approx(2 * (20 * (0.6 - 0.4) - 3)));
    CHECK(force(*weak, 0, 0.6) == Approx(0.25 * 2 * (20 * (0.6 - 0.4) - 3)));
    CHECK(force(*intact, 0, 9) == Approx(2 * 8));
    CHECK(force(*weak, 0, 9) == Approx(0.25 * 2 * 8));
    CHECK(force(*intact, 1, 1) == Approx(5));
    CHECK(force(*weak, 1, 1) == Approx(2.5));
    // The Ant's: gear 150, so a full control gives 150 at the joint.
    auto const ant = damaged_ant("weak:J2=0.3");
    auto const data = make_data(*ant);
    data->ctrl[2] = 1;
    data->ctrl[4] = 1;
    mj_forward(ant.get(), data.get());
    CHECK(data->qfrc_actuator[ant->jnt_dofadr[id(*ant, mjOBJ_JOINT, "hip_1")]] == Approx(45));
    CHECK(data->qfrc_actuator[ant->jnt_dofadr[id(*ant, mjOBJ_JOINT, "hip_2")]] == Approx(150));
}

TEST_CASE("friction is scaled on all surfaces")
{
    auto const intact = shipped("ant");
    auto const slippery = damaged_ant("friction=0.5");
    auto const sticky = damaged_ant("friction=2");
    for (int geom = 0; geom < intact->ngeom; ++geom) {
        CHECK(slippery->geom_friction[3 * geom] == 0.5 * intact->geom_friction[3 * geom]);
        CHECK(sticky->geom_friction[3 * geom] == 2 * intact->geom_friction[3 * geom]);
    }
}

// The engine's compiler, given the shorter limb, is the reference: masses, centres, inertias,
// derived quantities, and how the robot falls and moves.
TEST_CASE("a shortened limb equals one that is compiled from a shorter description")
{
    auto const shortened = damaged(limb(0.4), "shorten:upper=0.7");
    auto const reference = limb(0.4 * 0.7);
    int const upper = id(*reference, mjOBJ_BODY, "upper");
    CHECK(shortened->body_mass[upper] == Approx(reference->body_mass[upper]));
    for (int i = 0; i < 3; ++i) {
        CHECK(shortened->body_inertia[3 * upper + i]
              == Approx(reference->body_inertia[3 * upper + i]));
        CHECK(shortened->body_ipos[3 * upper + i]
              == Approx(reference->body_ipos[3 * upper + i]).margin(1e-12));
        CHECK(shortened->site_pos[i] == Approx(reference->site_pos[i]).margin(1e-12));
    }
    CHECK(shortened->body_subtreemass[1] == Approx(reference->body_subtreemass[1]));
    for (int dof = 0; dof < reference->nv; ++dof) {
        CHECK(shortened->dof_invweight0[dof] == Approx(reference->dof_invweight0[dof]));
    }
    auto const state = final_state(*shortened);
    auto const expected = final_state(*reference);
    for (std::size_t i = 0; i < state.size(); ++i) {
        CHECK(state[i] == Approx(expected[i]).margin(1e-6));
    }
    auto const unchanged = final_state(*limb(0.4));
    CHECK(std::abs(unchanged[0] - expected[0]) + std::abs(unchanged[7] - expected[7]) > 1e-3);
}

TEST_CASE("an added mass is distributed like the body's own")
{
    auto const intact = limb(0.4);
    auto const heavy = damaged(limb(0.4), "mass:trunk=+1.5");
    auto const light = damaged(limb(0.4), "mass:trunk=-1");
    int const trunk = id(*intact, mjOBJ_BODY, "trunk");
    CHECK(intact->body_mass[trunk] == Approx(4.0));
    CHECK(heavy->body_mass[trunk] == Approx(5.5));
    CHECK(light->body_mass[trunk] == Approx(3.0));
    CHECK(heavy->body_subtreemass[trunk] == Approx(intact->body_subtreemass[trunk] + 1.5));
    // A cube of side a: m a^2 / 6.
    CHECK(heavy->body_inertia[3 * trunk] == Approx(5.5 * 0.04 / 6));
}

TEST_CASE("masses, strength, damping and gravity are multiplied, of all or of one")
{
    auto const before = limb(0.4);
    auto const changed = [&](char const* words) { return damaged(limb(0.4), words); };
    auto const heavy = changed("mass=1.2");
    for (int body = 1; body < before->nbody; ++body) {
        CHECK(heavy->body_mass[body] == Approx(1.2 * before->body_mass[body]));
        CHECK(heavy->body_inertia[3 * body + 1]
              == Approx(1.2 * before->body_inertia[3 * body + 1]));
    }
    CHECK(heavy->body_subtreemass[0] == Approx(1.2 * before->body_subtreemass[0]));

    auto const strong = changed("strength=1.5");
    CHECK(strong->actuator_gear[0] == 3);
    CHECK(strong->actuator_gear[6] == 7.5);
    // The servo measures the same angle: its bias is -20 q for a gear of 2, so -20 / 1.5 for 3.
    CHECK(strong->actuator_biasprm[1] == Approx(-20 / 1.5));
    auto const one = changed("strength:motor=0.5");
    CHECK(one->actuator_gear[0] == 2);
    CHECK(one->actuator_gear[6] == 2.5);

    // Free joints have six degrees of freedom without damping, before those of the two hinges.
    auto const damping = [](MutableModel const& model) {
        return std::vector<double>(model->dof_damping, model->dof_damping + model->nv);
    };
    CHECK(damping(changed("damping=3")) == std::vector<double>{0, 0, 0, 0, 0, 0, 3 * 0.1, 3 * 0.1});
    CHECK(damping(changed("damping:elbow=3"))
          == std::vector<double>{0, 0, 0, 0, 0, 0, 0.1, 3 * 0.1});

    CHECK(changed("gravity=0.5")->opt.gravity[2] == 0.5 * before->opt.gravity[2]);
}

TEST_CASE("the humanoid can be damaged by the names of its joints")
{
    auto const model = damaged(shipped("deceptive_humanoid"), "right_knee");
    int const joint = id(*model, mjOBJ_JOINT, "right_knee");
    int damaged_motors = 0;
    for (int motor = 0; motor < model->nu; ++motor) {
        bool const on_knee = model->actuator_trnid[2 * motor] == joint;
        CHECK(model->actuator_ctrlrange[2 * motor + 1] == (on_knee ? 0.01 : 0.4));
        damaged_motors += on_knee ? 1 : 0;
    }
    CHECK(damaged_motors == 1);
}

TEST_CASE("an invalid damage is refused with the reason")
{
    refused("J8", "J0..J7");
    refused("knee", "knee");
    refused("", "invalid damage");
    refused("J0,,J1", "invalid damage");
    refused("lock:knee", "knee");
    refused("lock:root", "hinges");
    refused("weak:J0", "share");
    refused("weak:J0=2", "share");
    refused("weak:J0=half", "not a number");
    refused("friction=-1", "above 0");
    refused("friction", "friction");
    refused("shorten:tail=0.5", "tail");
    refused("shorten:world=0.5", "world");
    refused("mass:torso=1.5", "sign");
    refused("mass:torso=-1", "weighs");
    refused("melt:torso=1", "lock:JOINT");
    refused("mass=-1", "above 0");
    refused("mass=+1", "above 0");
    refused("strength=0", "above 0");
    refused("strength:J8=2", "J0..J7");
    refused("damping:knee=2", "knee");
    refused("damping:root=2", "no damping");
    refused("gravity:torso=2", "lock:JOINT");
}

TEST_CASE("any set of joints can be damaged, even all of them")
{
    auto const model = damaged_ant("J0,J1,J2,J3,J4,J5,J6,J7");
    for (int motor = 0; motor < model->nu; ++motor) {
        CHECK(model->actuator_ctrlrange[2 * motor + 1] == 0.01);
    }
    auto const held = damaged_ant("J0,J1,J2,J3,lock:hip_2,lock:ankle_2,lock:hip_3,J7");
    for (auto const* joint : {"hip_2", "ankle_2", "hip_3"}) {
        auto const* range = held->jnt_range + 2 * id(*held, mjOBJ_JOINT, joint);
        CHECK(range[0] == range[1]);
    }
}

TEST_CASE("the message for an unknown motor lists every valid name")
{
    auto const message = [](std::string const& motors) {
        auto const text = fmt::format(R"(
<mujoco>
  <worldbody>
    <body><joint name="hip"/><geom size="0.1"/>
      <body><joint name="knee"/><geom size="0.1"/><body><joint name="toe"/><geom size="0.1"/></body>
      </body>
    </body>
    <body><joint/><geom size="0.1"/></body>
  </worldbody>
  <actuator>{}</actuator>
</mujoco>)",
                                      motors);
        return message_of<ConfigError>(
            [&] { (void)damaged(compile_model_text("leg", text).full, "tail"); });
    };
    auto const unknown = [](std::string const& use) {
        return "invalid damage \"tail\" (no motor is called \"tail\" or moves a joint \"tail\"). "
               "Use "
               + use + ".";
    };
    CHECK(message(R"(<motor joint="hip"/><motor joint="knee"/>)")
          == unknown("J0..J1 or one of hip, knee"));
    CHECK(message(R"(<motor name="push" joint="hip"/><motor name="knee" joint="knee"/>)")
          == unknown("J0..J1 or one of push, knee, hip"));
    CHECK(message(R"(<motor joint="knee"/>)") == unknown("J0 or one of knee"));
}

#include "mees/sim/detail/contact_share.hpp"
#include "mees/sim/detail/mujoco_domain.hpp"
#include "mees/sim/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mees {
namespace {

constexpr int frame_skip = 5;
constexpr double reset_noise = 0.1;
constexpr double control_cost = 0.5;
constexpr double contact_cost = 0.5e-3;
constexpr double alive_bonus = 1;
constexpr double lowest_torso = 0.2;
constexpr double highest_torso = 1.0;

enum Term : std::size_t { forward, control, contact, alive };

std::vector<int> lower_legs(mjModel const& model)
{
    std::vector<int> geoms;
    for (int leg = 1; leg <= 4; ++leg) {
        geoms.push_back(find_id(model, mjOBJ_GEOM, fmt::format("shank_{}", leg), "geom"));
    }
    return geoms;
}

double clipped_force(double force)
{
    return std::clamp(force, -1.0, 1.0);
}

/// Walks along x. BC: per leg, the share of control steps after which its shank touches the floor.
class Ant final : public MujocoTask {
  public:
    Ant(ModelPtr const& model, TaskSpec const& spec, DomainSettings const& settings)
        : MujocoTask{model,
                     spec,
                     {.frame_skip = frame_skip,
                      .reset_noise = reset_noise,
                      .contact_forces = settings.contact_costs,
                      .terminate = settings.terminate}},
          torso_{find_id(*model, mjOBJ_BODY, "torso", "body")},
          contacts_{find_id(*model, mjOBJ_GEOM, "floor", "geom"), lower_legs(*model)},
          seconds_per_step_{spec.seconds_per_step},
          observe_contact_forces_{settings.contact_forces}
    {
    }

    void observe(std::span<double> observation) const override
    {
        auto out = std::copy(qpos().begin() + 2, qpos().end(), observation.begin());
        out = std::copy(qvel().begin(), qvel().end(), out);
        if (observe_contact_forces_) {
            std::transform(data().cfrc_ext, data().cfrc_ext + 6 * model().nbody, out,
                           clipped_force);
        }
    }

  private:
    void begin(std::span<double>, std::span<double> bc) override
    {
        x_ = data().xpos[3 * torso_];
        contacts_.restart();
        contacts_.shares(bc);
    }

    void measure(std::span<double const> action, std::span<double> terms) override
    {
        double const x = data().xpos[3 * torso_];
        double effort = 0;
        for (double const a : action) {
            effort += a * a;
        }
        double force = 0;
        for (int i = 0; i < 6 * model().nbody; ++i) {
            double const f = clipped_force(data().cfrc_ext[i]);
            force += f * f;
        }
        terms[forward] = (x - x_) / seconds_per_step_;
        terms[control] = -control_cost * effort;
        terms[contact] = -contact_cost * force;
        terms[alive] = alive_bonus;
        x_ = x;
    }

    void characterise(std::span<double> bc) override
    {
        contacts_.add(data());
        contacts_.shares(bc);
    }

    [[nodiscard]] bool fallen() const override
    {
        return qpos()[2] < lowest_torso || qpos()[2] > highest_torso;
    }

    int torso_;
    ContactShare contacts_;
    double seconds_per_step_;
    bool observe_contact_forces_;
    double x_{0};
};

}  // namespace

DomainPtr make_ant(DomainSettings const& settings)
{
    auto prepared = prepare_shipped_model("ant", settings);
    auto const& model = *prepared.full;
    std::int64_t const state_inputs = model.nq - 2 + model.nv;
    TaskSpec spec{
        .name = "ant",
        .observation_size = state_inputs + (settings.contact_forces ? 6 * model.nbody : 0),
        .action_size = model.nu,
        .episode_steps = episode_steps(settings, 1000),
        .seconds_per_step = frame_skip * model.opt.timestep,
        .bc_names = {"contact_leg_1", "contact_leg_2", "contact_leg_3", "contact_leg_4"},
        .bc_lower = {0, 0, 0, 0},
        .bc_upper = {1, 1, 1, 1},
        .bc_bins = {10, 10, 10, 10},
        .reward_terms = {"forward", "control", "contact", "alive"},
        .model_sha256 = {}};
    return make_mujoco_domain<Ant>(std::move(prepared), std::move(spec), settings);
}

}  // namespace mees

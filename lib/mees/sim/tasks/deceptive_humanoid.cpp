#include "mees/sim/detail/mujoco_domain.hpp"
#include "mees/sim/registry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace mees {
namespace {

constexpr int frame_skip = 5;
constexpr double reset_noise = 0.01;
constexpr double forward_weight = 1.25;
constexpr double control_cost = 0.1;
constexpr double impact_cost = 0.5e-6;
constexpr double highest_impact_cost = 10;
constexpr double alive_bonus = 5;
constexpr double lowest_root = 1.0;
constexpr double highest_root = 2.0;

enum Term : std::size_t { forward, control, impact, alive };

double sum_of_squares(std::span<double const> values)
{
    return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

/// Walks along x, where a U-shaped trap blocks the way. BC: the final centre of mass.
class DeceptiveHumanoid final : public MujocoTask {
  public:
    DeceptiveHumanoid(ModelPtr const& model, TaskSpec const& spec, DomainSettings const& settings)
        : MujocoTask{model,
                     spec,
                     {.frame_skip = frame_skip,
                      .reset_noise = reset_noise,
                      .velocity_noise = VelocityNoise::uniform,
                      .contact_forces = settings.contact_costs,
                      .terminate = settings.terminate}},
          total_mass_{std::accumulate(model->body_mass, model->body_mass + model->nbody, 0.0)}
    {
    }

    void observe(std::span<double> observation) const override
    {
        auto const& d = data();
        auto const bodies = model().nbody;
        auto out = std::copy(qpos().begin() + 2, qpos().end(), observation.begin());
        out = std::copy(qvel().begin(), qvel().end(), out);
        out = std::copy(d.cinert, d.cinert + 10 * bodies, out);
        out = std::copy(d.cvel, d.cvel + 6 * bodies, out);
        out = std::copy(d.qfrc_actuator, d.qfrc_actuator + model().nv, out);
        std::copy(d.cfrc_ext, d.cfrc_ext + 6 * bodies, out);
    }

  private:
    void begin(std::span<double>, std::span<double> bc) override
    {
        centre_ = centre_of_mass();
        characterise(bc);
    }

    /// The divisor is the engine's time step, not the control step, as in Gym's Humanoid-v2.
    void measure(std::span<double const> action, std::span<double> terms) override
    {
        auto const centre = centre_of_mass();
        double const force =
            sum_of_squares({data().cfrc_ext, static_cast<std::size_t>(6 * model().nbody)});
        terms[forward] = forward_weight * (centre[0] - centre_[0]) / model().opt.timestep;
        terms[control] = -control_cost * sum_of_squares(action);
        terms[impact] = -std::min(impact_cost * force, highest_impact_cost);
        terms[alive] = alive_bonus;
        centre_ = centre;
    }

    void characterise(std::span<double> bc) override
    {
        std::copy(centre_.begin(), centre_.end(), bc.begin());
    }

    [[nodiscard]] bool fallen() const override
    {
        return qpos()[2] < lowest_root || qpos()[2] > highest_root;
    }

    [[nodiscard]] std::array<double, 2> centre_of_mass() const
    {
        std::array<double, 2> moment{};
        for (int body = 0; body < model().nbody; ++body) {
            moment[0] += model().body_mass[body] * data().xipos[3 * body];
            moment[1] += model().body_mass[body] * data().xipos[3 * body + 1];
        }
        return {moment[0] / total_mass_, moment[1] / total_mass_};
    }

    double total_mass_;
    std::array<double, 2> centre_{};
};

}  // namespace

DomainPtr make_deceptive_humanoid(DomainSettings const& settings)
{
    auto prepared = prepare_shipped_model("deceptive_humanoid", settings);
    auto const& model = *prepared.full;
    TaskSpec spec{.name = "deceptive_humanoid",
                  .observation_size = model.nq - 2 + 2 * model.nv + 22 * model.nbody,
                  .action_size = model.nu,
                  .episode_steps = episode_steps(settings, 1000),
                  .seconds_per_step = frame_skip * model.opt.timestep,
                  .bc_names = {"x", "y"},
                  .bc_lower = {-50, -50},
                  .bc_upper = {50, 50},
                  .bc_bins = {91, 91},
                  .reward_terms = {"forward", "control", "impact", "alive"},
                  .model_sha256 = {}};
    return make_mujoco_domain<DeceptiveHumanoid>(std::move(prepared), std::move(spec), settings);
}

}  // namespace mees

#include "mees/sim/detail/mujoco_domain.hpp"
#include "mees/sim/registry.hpp"

#include <algorithm>
#include <cmath>

namespace mees {
namespace {

constexpr int frame_skip = 5;
constexpr double reset_noise = 0.1;
constexpr double goal_x = 35;
constexpr double goal_y = -25;
constexpr double arena_centre = 5;
constexpr double arena_width = 70;

/// Walks towards a goal behind walls. BC: the final position of the torso.
class AntMaze final : public MujocoTask {
  public:
    AntMaze(ModelPtr const& model, TaskSpec const& spec)
        : MujocoTask{model, spec, {.frame_skip = frame_skip, .reset_noise = reset_noise}}
    {
    }

    void observe(std::span<double> observation) const override
    {
        auto const out = std::copy(qpos().begin(), qpos().end(), observation.begin());
        observation[0] = (observation[0] - arena_centre) / arena_width;
        observation[1] = (observation[1] - arena_centre) / arena_width;
        std::copy(qvel().begin(), qvel().end(), out);
    }

  private:
    void begin(std::span<double> terms, std::span<double> bc) override
    {
        measure({}, terms);
        characterise(bc);
    }

    void measure(std::span<double const>, std::span<double> terms) override
    {
        terms[0] = -std::hypot(qpos()[0] - goal_x, qpos()[1] - goal_y);
    }

    void characterise(std::span<double> bc) override
    {
        bc[0] = qpos()[0];
        bc[1] = qpos()[1];
    }
};

}  // namespace

DomainPtr make_ant_maze(DomainSettings const& settings)
{
    auto prepared = prepare_shipped_model("ant_maze", settings);
    auto const& model = *prepared.full;
    TaskSpec spec{.name = "ant_maze",
                  .observation_size = model.nq + model.nv,
                  .action_size = model.nu,
                  .episode_steps = episode_steps(settings, 3000),
                  .seconds_per_step = frame_skip * model.opt.timestep,
                  .bc_names = {"x", "y"},
                  .bc_lower = {-40, -40},
                  .bc_upper = {40, 40},
                  .bc_bins = {10, 10},
                  .reward_terms = {"distance"},
                  .fitness = FitnessRule::last_reward,
                  .lowest_fitness = -99.3,  // in the farthest corner of the map
                  .model_sha256 = {}};
    return make_mujoco_domain<AntMaze>(std::move(prepared), std::move(spec));
}

}  // namespace mees

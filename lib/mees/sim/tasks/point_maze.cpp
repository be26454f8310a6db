#include "mees/sim/detail/mujoco_domain.hpp"
#include "mees/sim/registry.hpp"

#include <cmath>

namespace mees {
namespace {

constexpr int frame_skip = 1;
constexpr double reset_noise = 0.1;
constexpr double goal_x = 4.5;
constexpr double goal_y = 0;
constexpr double arena_half_width = 5;
constexpr double top_speed = 2;

/// A puck that moves towards a goal behind a trap. BC: its final position.
class PointMaze final : public MujocoTask {
  public:
    PointMaze(ModelPtr const& model, TaskSpec const& spec)
        : MujocoTask{model,
                     spec,
                     {.frame_skip = frame_skip,
                      .reset_noise = reset_noise,
                      .velocity_noise = VelocityNoise::none}},
          start_x_{model->body_pos[3 * find_id(*model, mjOBJ_BODY, "puck", "body")]}
    {
    }

    void observe(std::span<double> observation) const override
    {
        observation[0] = x() / arena_half_width;
        observation[1] = y() / arena_half_width;
        observation[2] = qvel()[0] / top_speed;
        observation[3] = qvel()[1] / top_speed;
    }

  private:
    void begin(std::span<double> terms, std::span<double> bc) override
    {
        measure({}, terms);
        characterise(bc);
    }

    void measure(std::span<double const>, std::span<double> terms) override
    {
        terms[0] = -std::hypot(x() - goal_x, y() - goal_y);
    }

    void characterise(std::span<double> bc) override
    {
        bc[0] = x();
        bc[1] = y();
    }

    [[nodiscard]] double x() const { return start_x_ + qpos()[0]; }
    [[nodiscard]] double y() const { return qpos()[1]; }

    double start_x_;
};

}  // namespace

DomainPtr make_point_maze(DomainSettings const& settings)
{
    auto prepared = prepare_shipped_model("point_maze", settings);
    auto const& model = *prepared.full;
    TaskSpec spec{.name = "point_maze",
                  .observation_size = 4,
                  .action_size = model.nu,
                  .episode_steps = episode_steps(settings, 200),
                  .seconds_per_step = frame_skip * model.opt.timestep,
                  .bc_names = {"x", "y"},
                  .bc_lower = {-5, -5},
                  .bc_upper = {5, 5},
                  .bc_bins = {10, 10},
                  .reward_terms = {"distance"},
                  .fitness = FitnessRule::last_reward,
                  .lowest_fitness = -10.8,  // in the farthest corner of the arena
                  .model_sha256 = {}};
    return make_mujoco_domain<PointMaze>(std::move(prepared), std::move(spec));
}

}  // namespace mees

#pragma once

#include "mees/sim/detail/bound_measure.hpp"
#include "mees/sim/detail/model_steps.hpp"
#include "mees/sim/mujoco.hpp"
#include "mees/sim/task.hpp"

#include <span>
#include <vector>

namespace mees {

/// A TaskDescription as a task of a model: the interpreter of descriptions.
///
/// Guarantees: an episode starts from a complete reset of the engine; a control step with
/// infinite or undefined results, or with a warning of the engine, makes the task `diverged` and
/// changes neither fitness nor BC; nothing allocates after construction.
class MujocoTask final : public PhysicsTask {
  public:
    /// `open` as for ModelSteps; it must live as long as `model`. Throws ConfigError for a
    /// description that does not fit the model.
    MujocoTask(ModelPtr model, TaskDescription const& description, mjModel const* open = nullptr);

    void reset(Stream& stream) override;
    void place(std::span<double const> qpos, std::span<double const> qvel) override;
    void rest_action(std::span<double> action) const override;
    void observe(std::span<double> observation) const override;
    void step(std::span<double const> action) override;

    [[nodiscard]] double reward() const override { return reward_; }
    [[nodiscard]] std::span<double const> terms() const override { return terms_; }
    [[nodiscard]] bool terminated() const override { return limits_.exceeded(state()); }
    [[nodiscard]] bool diverged() const override { return diverged_; }
    [[nodiscard]] double fitness() const override { return fitness_; }
    void behaviour(std::span<double> bc) const override;

    [[nodiscard]] mjModel const& model() const override { return *model_; }
    [[nodiscard]] mjData const& data() const override { return *data_; }
    [[nodiscard]] std::span<double const> qpos() const override;
    [[nodiscard]] std::span<double const> qvel() const override;

  private:
    /// What of a description is the same for every robot.
    struct Rules {
        std::int64_t frame_skip;
        int keyframe;  ///< -1: qpos0
        double noise;
        VelocityNoise velocity_noise;
        bool contact_forces;
        FitnessRule fitness;
        std::vector<double> action_offset;  ///< empty: the action is the control
        std::vector<double> action_scale;
    };

    void restart();
    void perturb_state(Stream& stream);
    void begin_episode();
    void set_control();
    [[nodiscard]] bool healthy() const;
    [[nodiscard]] StateView state() const { return {*model_, *data_, action_}; }

    ModelPtr model_;
    DataPtr data_;
    ModelSteps steps_;
    Rules rules_;
    std::vector<BoundQuantity> observation_;
    Reward measure_;
    EpisodeLimits limits_;
    Characteriser characteriser_;
    std::vector<double> action_;
    std::vector<double> terms_;
    std::vector<double> bc_;
    double reward_{0};
    double fitness_{0};
    bool diverged_{false};
};

/// What the rest of the program must know of the task; lacks the model's hash. Throws ConfigError
/// for a description that does not fit the model.
[[nodiscard]] TaskSpec spec_of(mjModel const& model, TaskDescription const& description);

}  // namespace mees

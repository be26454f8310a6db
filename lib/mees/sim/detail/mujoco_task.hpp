#pragma once

#include "mees/sim/mujoco.hpp"
#include "mees/sim/task.hpp"

#include <span>
#include <vector>

namespace mees {

enum class VelocityNoise { none, uniform, normal };

/// How episodes of a domain run, for any robot.
struct EpisodeRules {
    int frame_skip{1};  ///< engine steps in one control step
    /// Initial positions are the model's plus uniform noise of this half-width; velocities have
    /// this half-width or standard deviation.
    double reset_noise{0};
    VelocityNoise velocity_noise{VelocityNoise::normal};
    bool contact_forces{false};  ///< fill cfrc_ext after each control step
    bool terminate{true};
};

/// What all domains simulated by MuJoCo have in common; a domain adds observation, reward, end and
/// BC.
///
/// Guarantees: an episode starts from a complete reset of the engine; a control step with
/// infinite or undefined results, or with a warning of the engine, makes the task `diverged` and
/// changes neither fitness nor BC; nothing allocates after construction.
class MujocoTask : public PhysicsTask {
  public:
    MujocoTask(ModelPtr model, TaskSpec const& spec, EpisodeRules rules);

    void reset(Stream& stream) final;
    void place(std::span<double const> qpos, std::span<double const> qvel) final;
    void step(std::span<double const> action) final;

    [[nodiscard]] double reward() const final { return reward_; }
    [[nodiscard]] std::span<double const> terms() const final { return terms_; }
    [[nodiscard]] bool terminated() const final { return rules_.terminate && fallen(); }
    [[nodiscard]] bool diverged() const final { return diverged_; }
    [[nodiscard]] double fitness() const final { return fitness_; }
    void behaviour(std::span<double> bc) const final;

    [[nodiscard]] mjModel const& model() const final { return *model_; }
    [[nodiscard]] mjData const& data() const final { return *data_; }
    [[nodiscard]] std::span<double const> qpos() const final;
    [[nodiscard]] std::span<double const> qvel() const final;

  protected:
    /// Called in the initial state: `terms` and `bc` are those of a step that has not been made
    /// (they matter where the last reward is the fitness, and if the first step diverges).
    virtual void begin(std::span<double> terms, std::span<double> bc) = 0;
    /// The reward's terms for the control step just made.
    virtual void measure(std::span<double const> action, std::span<double> terms) = 0;
    /// The BC with that control step.
    virtual void characterise(std::span<double> bc) = 0;
    [[nodiscard]] virtual bool fallen() const { return false; }

  private:
    void perturb_state(Stream& stream);
    void begin_episode();
    [[nodiscard]] bool healthy() const;

    ModelPtr model_;
    DataPtr data_;
    EpisodeRules rules_;
    FitnessRule fitness_rule_;
    std::vector<double> terms_;
    std::vector<double> bc_;
    double reward_{0};
    double fitness_{0};
    bool diverged_{false};
};

}  // namespace mees

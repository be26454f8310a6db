#pragma once

#include "mees/sim/mujoco.hpp"
#include "mees/sim/task.hpp"

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace mees {

enum class FitnessRule { sum_of_rewards, last_reward };

/// How a domain's episodes run, whatever the robot.
struct EpisodeRules {
    int frame_skip{1};  ///< engine steps in one control step
    FitnessRule fitness{FitnessRule::sum_of_rewards};
    bool contact_forces{false};  ///< fill cfrc_ext after each control step
    bool terminate{true};
};

/// What all domains that MuJoCo simulates have in common; a domain adds the figures of its robot.
///
/// Guarantees: an episode starts from a complete reset of the engine; a control step that leaves
/// the finite numbers, or of which the engine warns, makes the task `diverged` and changes neither
/// fitness nor BC; nothing allocates after construction.
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
    /// Draws the initial state: `qpos` and `qvel` hold the model's own.
    virtual void draw_state(Stream& stream, std::span<double> qpos, std::span<double> qvel) = 0;
    /// Called in the initial state: `terms` and `bc` are those of a step that has not been made
    /// (they matter where the last reward is the fitness, and if the first step diverges).
    virtual void begin(std::span<double> terms, std::span<double> bc) = 0;
    /// The reward's terms for the control step just made.
    virtual void measure(std::span<double const> action, std::span<double> terms) = 0;
    /// The BC with that control step.
    virtual void characterise(std::span<double> bc) = 0;
    [[nodiscard]] virtual bool fallen() const { return false; }

  private:
    void begin_episode();
    [[nodiscard]] bool healthy() const;

    ModelPtr model_;
    DataPtr data_;
    EpisodeRules rules_;
    std::vector<double> terms_;
    std::vector<double> bc_;
    double reward_{0};
    double fitness_{0};
    bool diverged_{false};
};

/// A model with a domain's settings applied: all of it, and its lean twin.
struct PreparedModel {
    MutableModel whole;
    MutableModel lean;  ///< moves as the whole does, to the bit (lean_model.hpp)
};

/// A domain that is a compiled model and a way to make tasks of it.
class MujocoDomain : public Domain {
  public:
    using Factory = std::function<std::unique_ptr<Task>(ModelPtr, TaskSpec const&)>;

    /// `spec` lacks only the model's hash.
    MujocoDomain(PreparedModel model, TaskSpec spec, Factory factory);

    [[nodiscard]] TaskSpec const& spec() const override { return spec_; }
    [[nodiscard]] std::unique_ptr<Task> make_task() const override
    {
        return factory_(lean_, spec_);
    }
    [[nodiscard]] ModelPtr whole_model() const override { return whole_; }

  private:
    ModelPtr whole_;
    ModelPtr lean_;
    TaskSpec spec_;
    Factory factory_;
};

/// The shipped model of that name with the settings' integrator and damage.
[[nodiscard]] PreparedModel prepare_shipped_model(std::string const& name,
                                                  DomainSettings const& settings);
/// The same with a model file.
[[nodiscard]] PreparedModel prepare_model_file(std::filesystem::path const& path,
                                               DomainSettings const& settings);

/// The settings' number of steps, or the domain's own.
[[nodiscard]] inline std::int64_t episode_steps(DomainSettings const& settings,
                                                std::int64_t domains_own)
{
    return settings.episode_steps > 0 ? settings.episode_steps : domains_own;
}

}  // namespace mees

#pragma once

#include "mees/config/settings.hpp"
#include "mees/core/error.hpp"
#include "mees/core/stream.hpp"
#include "mees/sim/damage.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct mjModel_;
struct mjData_;

namespace mees {

/// What the rest of the program must know about a domain before running it.
struct TaskSpec {
    std::string name;
    std::int64_t observation_size{0};
    std::int64_t action_size{0};
    std::int64_t episode_steps{0};
    double seconds_per_step{0};         ///< simulated time of one control step
    std::vector<std::string> bc_names;  ///< one per BC dimension
    std::vector<double> bc_lower;       ///< default bounds of the map
    std::vector<double> bc_upper;
    std::vector<std::int64_t> bc_bins;      ///< default bins of the map
    std::vector<std::string> reward_terms;  ///< names of the terms, in the order of `Task::terms`
    FitnessRule fitness{FitnessRule::sum_of_rewards};
    double lowest_fitness{0};          ///< of a sensible controller: the default of map.qd_offset
    std::string model_sha256;          ///< of the model as compiled for this run; "" if none
    std::vector<std::string> notes{};  ///< what a user should know before training in it
    std::int64_t restarts{0};          ///< how often an episode is repeated after EnvironmentLost
    std::int64_t batch{1};             ///< episodes that a worker should run at once
};

/// The environment of an episode ended; the episode can be repeated from its start.
class EnvironmentLost : public SimulationError {
  public:
    using SimulationError::SimulationError;
};

/// An episode was dropped while its task waited, because its `watch` said so.
class EpisodeDropped : public std::exception {
  public:
    [[nodiscard]] char const* what() const noexcept override { return "the episode was dropped"; }
};

/// A drawn state: rows from the top, three bytes (red, green, blue) per pixel.
struct RenderedFrame {
    std::int64_t width{0};
    std::int64_t height{0};
    std::vector<std::uint8_t> pixels;
};

/// A robot in its world: an episode, one control step at a time.
///
/// One per thread. `reset` resets everything: an episode depends on its stream and its actions
/// only, not on earlier episodes. Nothing allocates after construction.
class Task {
  public:
    Task() = default;
    Task(Task const&) = delete;
    Task& operator=(Task const&) = delete;
    virtual ~Task() = default;

    /// A task that waits for another process asks `dropped`, several times a second, whether the
    /// episode is still wanted, and throws EpisodeDropped if not. It must outlive the episode.
    virtual void watch(std::function<bool()> const& dropped) { static_cast<void>(dropped); }

    virtual void reset(Stream& stream) = 0;
    virtual void observe(std::span<double> observation) const = 0;
    /// Runs one control step. The functions below describe the state after it.
    virtual void step(std::span<double const> action) = 0;
    /// The same in two parts, so that tasks which share a process can step together: all begin,
    /// then all finish.
    virtual void begin_step(std::span<double const> action) { step(action); }
    virtual void finish_step() {}
    /// The step's reward: the sum of `terms()`.
    [[nodiscard]] virtual double reward() const = 0;
    [[nodiscard]] virtual std::span<double const> terms() const = 0;
    [[nodiscard]] virtual bool terminated() const = 0;
    /// The simulation became infinite or undefined, or the engine warned of that: fitness and BC
    /// stay as they were before that step.
    [[nodiscard]] virtual bool diverged() const = 0;
    /// The episode's fitness so far: the sum of rewards in most domains, the last reward in others.
    [[nodiscard]] virtual double fitness() const = 0;
    /// The behaviour characterisation so far.
    virtual void behaviour(std::span<double> bc) const = 0;
    /// An image of the state, if the task makes its own; others are rendered from their model.
    [[nodiscard]] virtual std::optional<RenderedFrame> render() const { return std::nullopt; }
};

/// A task whose world is a rigid-body simulation, for replay, reference checks and videos.
class PhysicsTask : public Task {
  public:
    /// Starts an episode in that state; `reset` starts one in a random state.
    virtual void place(std::span<double const> qpos, std::span<double const> qvel) = 0;
    /// The action that moves the robot's joints towards the pose in which episodes start: motors by
    /// a proportional-derivative law, position servos by their target; 0 for other actuators.
    virtual void rest_action(std::span<double> action) const = 0;

    [[nodiscard]] virtual mjModel_ const& model() const = 0;
    [[nodiscard]] virtual mjData_ const& data() const = 0;
    [[nodiscard]] virtual std::span<double const> qpos() const = 0;
    [[nodiscard]] virtual std::span<double const> qvel() const = 0;
};

/// A file that a model refers to, under the name by which it does.
struct ModelAsset {
    std::string file;
    std::vector<std::byte> content;
    friend bool operator==(ModelAsset const&, ModelAsset const&) = default;
};

/// A robot and its task, complete: what a map carries. See docs/domain-description.md.
struct DomainDocument {
    std::string model;        ///< MJCF
    std::string description;  ///< a TaskDescription as TOML
    std::vector<ModelAsset> assets;
    friend bool operator==(DomainDocument const&, DomainDocument const&) = default;
};

/// What a map says of an environment in another process, which it cannot carry. The command is in
/// the configuration, BC names and bounds are the map's.
struct ProgramStatement {
    std::int64_t observation_size{0};
    std::int64_t action_size{0};
    std::int64_t episode_steps{0};
    double seconds_per_step{0};  ///< 0: unknown
    FitnessRule fitness{FitnessRule::sum_of_rewards};
    bool images{false};  ///< whether it can be filmed
    std::vector<std::string> reward_terms;
    friend bool operator==(ProgramStatement const&, ProgramStatement const&) = default;
};

/// A domain, compiled once per process; makes a Task for each thread.
class Domain {
  public:
    Domain() = default;
    Domain(Domain const&) = delete;
    Domain& operator=(Domain const&) = delete;
    virtual ~Domain() = default;

    [[nodiscard]] virtual TaskSpec const& spec() const = 0;
    [[nodiscard]] virtual std::unique_ptr<Task> make_task() const = 0;
    /// Tasks of one thread that it steps together.
    [[nodiscard]] virtual std::vector<std::unique_ptr<Task>> make_tasks(std::int64_t count) const;
    /// The model with everything in its file, as videos show it; null if the domain has no model.
    /// Tasks may simulate a reduced model that moves bit-for-bit the same.
    [[nodiscard]] virtual std::shared_ptr<mjModel_ const> full_model() const { return nullptr; }
    /// Everything that another program needs to run the same episodes; null if that is not data.
    [[nodiscard]] virtual std::shared_ptr<DomainDocument const> document() const { return nullptr; }
    /// Of a domain whose environments are programs.
    [[nodiscard]] virtual std::optional<ProgramStatement> program() const { return std::nullopt; }
    /// This domain with that damage instead of its own. Throws ConfigError for a damage that its
    /// robot cannot have; by default for any.
    [[nodiscard]] virtual std::shared_ptr<Domain const> with_damage(Damage const& damage) const;
};

/// Version of the physics engine that this program runs with, such as "3.14.0".
[[nodiscard]] std::string engine_version();

}  // namespace mees

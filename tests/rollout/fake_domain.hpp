#pragma once

#include "mees/core/error.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/evaluation/batch.hpp"
#include "mees/policy/network.hpp"
#include "mees/rollout/episode_runner.hpp"
#include "mees/sim/task.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>

namespace mees::test {

/// A point on a plane that two actions move: cheap, and every number depends on the reset stream
/// and on every action.
struct FakeOptions {
    std::int64_t steps{20};
    double fall_radius{std::numeric_limits<double>::infinity()};
    double diverge_radius{std::numeric_limits<double>::infinity()};
    double throw_radius{std::numeric_limits<double>::infinity()};
    double bad_fitness_radius{std::numeric_limits<double>::infinity()};
    bool bad_behaviour{false};
    double initial_fitness{0};
    std::chrono::microseconds step_time{0};
    std::string model_sha256{};
    std::int64_t batch{1};
};

class FakeTask : public Task {
  public:
    explicit FakeTask(FakeOptions const& options) : options_{options} {}

    void reset(Stream& stream) override
    {
        position_ = {stream.normal(), stream.normal()};
        fitness_ = options_.initial_fitness;
    }
    void observe(std::span<double> observation) const override
    {
        observation[0] = position_[0];
        observation[1] = position_[1];
        observation[2] = fitness_;
    }
    void step(std::span<double const> action) override
    {
        if (options_.step_time.count() > 0) {
            std::this_thread::sleep_for(options_.step_time);
        }
        position_[0] += action[0];
        position_[1] += action[1];
        if (radius() > options_.throw_radius) {
            throw SimulationError{"the point left the plane", "a test asked for it", ""};
        }
        if (!diverged()) {
            reward_ = position_[0] - 0.1 * position_[1] * position_[1];
            fitness_ += reward_;
        }
    }
    [[nodiscard]] double reward() const override { return reward_; }
    [[nodiscard]] std::span<double const> terms() const override { return {&reward_, 1}; }
    [[nodiscard]] bool terminated() const override { return radius() > options_.fall_radius; }
    [[nodiscard]] bool diverged() const override { return radius() > options_.diverge_radius; }
    [[nodiscard]] double fitness() const override
    {
        return radius() > options_.bad_fitness_radius ? std::nan("") : fitness_;
    }
    void behaviour(std::span<double> bc) const override
    {
        bc[0] = options_.bad_behaviour ? std::numeric_limits<double>::infinity() : position_[0];
        bc[1] = position_[1];
    }

  private:
    [[nodiscard]] double radius() const { return std::hypot(position_[0], position_[1]); }

    FakeOptions options_;
    std::array<double, 2> position_{};
    double reward_{0};
    double fitness_{0};
};

class FakeDomain : public Domain {
  public:
    explicit FakeDomain(FakeOptions options = {}) : options_{options}
    {
        spec_.name = "fake";
        spec_.observation_size = 3;
        spec_.action_size = 2;
        spec_.episode_steps = options.steps;
        spec_.seconds_per_step = 0.1;
        spec_.bc_names = {"x", "y"};
        spec_.bc_lower = {-10, -10};
        spec_.bc_upper = {10, 10};
        spec_.bc_bins = {10, 10};
        spec_.reward_terms = {"reward"};
        spec_.model_sha256 = options.model_sha256;
        spec_.batch = options.batch;
    }
    [[nodiscard]] TaskSpec const& spec() const override { return spec_; }
    [[nodiscard]] std::unique_ptr<Task> make_task() const override
    {
        return std::make_unique<FakeTask>(options_);
    }

  private:
    FakeOptions options_;
    TaskSpec spec_;
};

inline RolloutSetup fake_setup(FakeOptions options = {})
{
    return {{std::make_shared<FakeDomain>(options)}, NetworkShape{{3, 8, 2}}, 0};
}

inline ControllerPtr fake_controller(std::int64_t index)
{
    NetworkShape const shape{{3, 8, 2}};
    auto normaliser = Normaliser::identity(3);
    normaliser.mean[0] = 0.1;
    normaliser.std[1] = 2.0;
    return std::make_shared<Controller>(Controller{
        xavier_parameters(shape, Stream{7, Purpose::test, Generation{0}, index}), normaliser});
}

constexpr std::int64_t fake_table_size = 4096;

inline TableMemory const& fake_table()
{
    static auto const values = make_noise_table(fake_table_size, 42, 1);
    return values;
}

/// Evaluation of one controller, mirrored offspring of another, and children on a line: every kind
/// of group at once.
inline Batch fake_batch(std::int64_t pairs, std::int64_t table_size, std::int64_t generation = 3)
{
    Batch batch;
    batch.seed = 11;
    auto const theta = fake_controller(1);
    Group evaluation;
    evaluation.centre = theta;
    evaluation.generation = Generation{generation};
    evaluation.kind = EpisodeKind::evaluation;
    evaluation.repeats = 5;
    Group offspring;
    offspring.centre = theta;
    offspring.generation = Generation{generation};
    offspring.sigma = 0.5F;
    offspring.mirrored = true;
    offspring.action_noise = 0.01F;
    offspring.observation_fraction = 0.2;
    Stream draws{batch.seed, Purpose::noise_offset, Generation{generation}};
    auto const size = theta->parameters.size();
    for (std::int64_t i = 0; i < pairs; ++i) {
        offspring.offsets.emplace_back(draws.below(table_size - size + 1));
    }
    Group children = offspring;
    children.centre = fake_controller(2);
    children.mirrored = false;
    children.first_stream = 2 * pairs;
    children.repeats = 2;
    children.scale =
        std::make_shared<Eigen::VectorXf const>(fake_controller(4)->parameters.values());
    children.basis = {
        std::make_shared<Eigen::VectorXf const>(fake_controller(3)->parameters.values()),
        children.scale};
    children.coefficients.assign(2 * children.offsets.size(), 0.25F);
    batch.groups = {evaluation, offspring, children};
    return batch;
}

}  // namespace mees::test

#include "mees/sim/tasks/sleep.hpp"

#include "mees/sim/registry.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>

namespace mees {
namespace {

using Clock = std::chrono::steady_clock;

// The Ant's sizes, so that messages are as large as the Ant's.
constexpr std::int64_t observation_size = 27;
constexpr std::int64_t action_size = 8;

/// The longest episode takes 30 times as long as the shortest: +-2 standard deviations.
constexpr double lognormal_clip = 2;
double const lognormal_sigma = std::log(30.0) / (2 * lognormal_clip);

/// Sleeps instead of simulating, to measure the overhead of everything else. Fitness and BC are
/// random, so that results can be compared.
class Sleep final : public Task {
  public:
    Sleep(DomainSettings settings, std::int64_t steps)
        : settings_{std::move(settings)}, steps_{steps}
    {
    }

    void reset(Stream& stream) override
    {
        duration_ = std::chrono::duration<double>{sleep_seconds(settings_, stream)};
        fitness_ = stream.uniform();
        bc_ = {stream.uniform(), stream.uniform()};
        step_ = 0;
        begin_ = Clock::now();
    }

    void observe(std::span<double> observation) const override
    {
        std::fill(observation.begin(), observation.end(), fitness_);
    }

    void step(std::span<double const>) override
    {
        ++step_;
        auto const elapsed = duration_ * static_cast<double>(step_) / static_cast<double>(steps_);
        std::this_thread::sleep_until(begin_
                                      + std::chrono::duration_cast<Clock::duration>(elapsed));
    }

    [[nodiscard]] double reward() const override { return fitness_; }
    [[nodiscard]] std::span<double const> terms() const override { return {&fitness_, 1}; }
    [[nodiscard]] bool terminated() const override { return false; }
    [[nodiscard]] bool diverged() const override { return false; }
    [[nodiscard]] double fitness() const override { return fitness_; }
    void behaviour(std::span<double> bc) const override
    {
        std::copy(bc_.begin(), bc_.end(), bc.begin());
    }

  private:
    DomainSettings settings_;
    std::int64_t steps_;
    std::chrono::duration<double> duration_{0};
    Clock::time_point begin_;
    std::int64_t step_{0};
    double fitness_{0};
    std::array<double, 2> bc_{};
};

class SleepDomain final : public Domain {
  public:
    explicit SleepDomain(DomainSettings settings)
        : settings_{std::move(settings)},
          spec_{.name = "sleep",
                .observation_size = observation_size,
                .action_size = action_size,
                .episode_steps = settings_.episode_steps > 0 ? settings_.episode_steps : 20,
                .seconds_per_step = 0,
                .bc_names = {"x", "y"},
                .bc_lower = {0, 0},
                .bc_upper = {1, 1},
                .bc_bins = {10, 10},
                .reward_terms = {"draw"},
                .fitness = FitnessRule::last_reward,
                .model_sha256 = {}}
    {
        spec_.seconds_per_step = settings_.sleep_seconds / static_cast<double>(spec_.episode_steps);
    }

    [[nodiscard]] TaskSpec const& spec() const override { return spec_; }
    [[nodiscard]] std::unique_ptr<Task> make_task() const override
    {
        return std::make_unique<Sleep>(settings_, spec_.episode_steps);
    }

  private:
    DomainSettings settings_;
    TaskSpec spec_;
};

}  // namespace

double sleep_seconds(DomainSettings const& settings, Stream stream)
{
    switch (settings.sleep_spread) {
        case SleepSpread::uniform:
            return settings.sleep_seconds * stream.uniform(0.5, 1.5);
        case SleepSpread::lognormal:
            break;
    }
    double const z = std::clamp(stream.normal(), -lognormal_clip, lognormal_clip);
    return settings.sleep_seconds
           * std::exp(lognormal_sigma * z - lognormal_sigma * lognormal_sigma / 2);
}

DomainPtr make_sleep(DomainSettings const& settings, ModelText const*)
{
    return std::make_shared<SleepDomain>(settings);
}

}  // namespace mees

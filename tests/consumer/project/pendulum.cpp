#include <mees/algorithms/es_search.hpp>
#include <mees/programs/programs.hpp>

#include <array>
#include <cmath>

namespace {

using namespace mees;

/// A pendulum that is to stand upright, without any physics engine. BC: its final angle and speed.
class Pendulum final : public Task {
  public:
    void reset(Stream& stream) override
    {
        angle_ = stream.uniform(-0.1, 0.1);
        speed_ = 0;
        fitness_ = 0;
    }
    void observe(std::span<double> observation) const override
    {
        observation[0] = std::sin(angle_);
        observation[1] = std::cos(angle_);
        observation[2] = speed_;
    }
    void step(std::span<double const> action) override
    {
        constexpr double dt = 0.05;
        speed_ += dt * (-9.81 * std::sin(angle_) + 3 * action[0]);
        angle_ += dt * speed_;
        reward_ = -std::cos(angle_);
        fitness_ += reward_;
    }
    [[nodiscard]] double reward() const override { return reward_; }
    [[nodiscard]] std::span<double const> terms() const override { return {&reward_, 1}; }
    [[nodiscard]] bool terminated() const override { return false; }
    [[nodiscard]] bool diverged() const override { return !std::isfinite(fitness_); }
    [[nodiscard]] double fitness() const override { return fitness_; }
    void behaviour(std::span<double> bc) const override
    {
        bc[0] = angle_;
        bc[1] = speed_;
    }

  private:
    double angle_{0};
    double speed_{0};
    double reward_{0};
    double fitness_{0};
};

class PendulumDomain final : public Domain {
  public:
    [[nodiscard]] TaskSpec const& spec() const override { return spec_; }
    [[nodiscard]] std::unique_ptr<Task> make_task() const override
    {
        return std::make_unique<Pendulum>();
    }

  private:
    TaskSpec spec_{.name = "pendulum",
                   .observation_size = 3,
                   .action_size = 1,
                   .episode_steps = 100,
                   .seconds_per_step = 0.05,
                   .bc_names = {"angle", "speed"},
                   .bc_lower = {-4, -8},
                   .bc_upper = {4, 8},
                   .bc_bins = {16, 16},
                   .reward_terms = {"height"},
                   .model_sha256 = {}};
};

/// An ES that climbs fitness and novelty by halves.
class Curious final : public Strategy {
  public:
    explicit Curious(SearchProblemPtr const&) {}

    [[nodiscard]] std::vector<Move> next(State const&) const override
    {
        return {{.objectives = {{.fitness = 0.5, .novelty = 0.5}}}};
    }
    [[nodiscard]] bool can_overlap(State const&) const override { return true; }
};

}  // namespace

/// All programs of mees, with this domain and this algorithm.
int main(int argc, char** argv)
{
    Catalogue catalogue;
    catalogue.domains.add(
        "pendulum", [](DomainSettings const&) { return std::make_shared<PendulumDomain const>(); });
    catalogue.algorithms.add(
        {.known = {"curious", es_search_keys()}, .make = make_es_search<Curious>});
    return mees_main(argc, argv, catalogue);
}

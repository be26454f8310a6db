#include "catch.hpp"
#include "rollout/fake_domain.hpp"

#include <array>

using namespace mees;
using namespace mees::test;

namespace {

/// In step t = 1, 2, ... the terms of the reward are t and 10 t.
class CountingTask final : public FakeTask {
  public:
    explicit CountingTask(FitnessRule rule) : FakeTask{FakeOptions{}}, rule_{rule} {}

    void reset(Stream& stream) override
    {
        FakeTask::reset(stream);
        step_ = 0;
        sum_ = 0;
    }
    void step(std::span<double const> /*action*/) override
    {
        ++step_;
        terms_ = {step_, 10 * step_};
        sum_ += reward();
    }
    [[nodiscard]] double reward() const override { return terms_[0] + terms_[1]; }
    [[nodiscard]] std::span<double const> terms() const override { return terms_; }
    [[nodiscard]] double fitness() const override
    {
        return rule_ == FitnessRule::sum_of_rewards ? sum_ : (step_ > 0 ? reward() : 0);
    }

  private:
    FitnessRule rule_;
    double step_{0};
    double sum_{0};
    std::array<double, 2> terms_{};
};

class CountingDomain final : public Domain {
  public:
    explicit CountingDomain(FitnessRule rule) : spec_{FakeDomain{{.steps = 3}}.spec()}
    {
        spec_.fitness = rule;
        spec_.reward_terms = {"counted", "tenfold"};
    }
    [[nodiscard]] TaskSpec const& spec() const override { return spec_; }
    [[nodiscard]] std::unique_ptr<Task> make_task() const override
    {
        return std::make_unique<CountingTask>(spec_.fitness);
    }

  private:
    TaskSpec spec_;
};

/// The outcome of an episode of three steps.
EpisodeOutcome outcome(FitnessRule rule, std::vector<std::int64_t> without, EpisodeKind kind)
{
    RolloutSetup setup{{std::make_shared<CountingDomain>(rule)}, NetworkShape{{3, 8, 2}}, 0};
    setup.training_without = std::move(without);
    auto batch = fake_batch(2, fake_table_size);
    batch.groups[1].kind = kind;
    EpisodeRunner runner{setup, fake_table()};
    std::array<double, 2> bc{};
    // The first episodes are those of an evaluation; two in succession, as one must forget another.
    static_cast<void>(runner.run(episode_of(batch, 5), bc, [] { return false; }));
    return runner.run(episode_of(batch, 6), bc, [] { return false; }).value();
}

}  // namespace

// 1 + 2 + 3 = 6 and 10 + 20 + 30 = 60; in the last step 3 and 30.
TEST_CASE("terms that training leaves out are counted in training episodes, and no others")
{
    auto const sum = FitnessRule::sum_of_rewards;
    auto const last = FitnessRule::last_reward;
    auto const training = EpisodeKind::training;
    CHECK(outcome(sum, {1}, training) == EpisodeOutcome{66, 3, EpisodeEnd::completed, 60});
    CHECK(outcome(sum, {1}, training).objective() == 6);
    CHECK(outcome(sum, {0}, training).objective() == 60);
    CHECK(outcome(sum, {0, 1}, training).objective() == 0);
    CHECK(outcome(last, {1}, training) == EpisodeOutcome{33, 3, EpisodeEnd::completed, 30});
    CHECK(outcome(last, {0}, training).objective() == 30);
    CHECK(outcome(sum, {}, training) == EpisodeOutcome{66, 3, EpisodeEnd::completed, 0});
    for (auto const kind :
         {EpisodeKind::evaluation, EpisodeKind::trial, EpisodeKind::score, EpisodeKind::replay}) {
        CHECK(outcome(sum, {1}, kind) == EpisodeOutcome{66, 3, EpisodeEnd::completed, 0});
    }
}

#include "catch.hpp"
#include "rollout/fake_domain.hpp"

#include "mees/rollout/determinism.hpp"
#include "mees/rollout/threads.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>

using namespace mees;
using namespace mees::test;

namespace {

/// Loses its environment in the control step with a certain number, counted over all tasks.
struct Losses {
    std::atomic<std::int64_t> steps{0};
    std::vector<std::int64_t> at;
};

class FragileTask final : public FakeTask {
  public:
    FragileTask(FakeOptions const& options, std::shared_ptr<Losses> losses)
        : FakeTask{options}, losses_{std::move(losses)}
    {
    }
    void step(std::span<double const> action) override
    {
        auto const now = losses_->steps++;
        FakeTask::step(action);
        if (std::ranges::find(losses_->at, now) != losses_->at.end()) {
            throw EnvironmentLost{"the environment ended", "a test asked for it", ""};
        }
    }

  private:
    std::shared_ptr<Losses> losses_;
};

class FragileDomain final : public Domain {
  public:
    FragileDomain(std::int64_t batch, std::int64_t restarts, std::vector<std::int64_t> at)
        : options_{.steps = 50, .fall_radius = 6},
          spec_{FakeDomain{options_}.spec()},
          losses_{std::make_shared<Losses>()}
    {
        spec_.batch = batch;
        spec_.restarts = restarts;
        losses_->at = std::move(at);
    }
    [[nodiscard]] TaskSpec const& spec() const override { return spec_; }
    [[nodiscard]] std::unique_ptr<Task> make_task() const override
    {
        return std::make_unique<FragileTask>(options_, losses_);
    }

  private:
    FakeOptions options_;
    TaskSpec spec_;
    std::shared_ptr<Losses> losses_;
};

BatchResult evaluated(std::int64_t batch_size, std::int64_t restarts, std::vector<std::int64_t> at,
                      unsigned threads = 1)
{
    auto const domain = std::make_shared<FragileDomain>(batch_size, restarts, std::move(at));
    ThreadEvaluator evaluator{{{domain}, NetworkShape{{3, 8, 2}}, 0}, fake_table(), threads};
    StopToken stop;
    return evaluator.evaluate(fake_batch(20, fake_table_size), stop).value();
}

void check_same(BatchResult const& one, BatchResult const& other)
{
    CHECK(one.outcomes == other.outcomes);
    CHECK(one.bcs == other.bcs);
    REQUIRE(one.observations.size() == other.observations.size());
    for (std::size_t i = 0; i < one.observations.size(); ++i) {
        CHECK(one.observations[i].episode == other.observations[i].episode);
        CHECK(one.observations[i].moments.sum == other.observations[i].moments.sum);
    }
}

/// Its numbers depend on how often it was reset.
class ForgetfulTask final : public FakeTask {
  public:
    using FakeTask::FakeTask;
    void reset(Stream& stream) override
    {
        FakeTask::reset(stream);
        ++resets_;
    }
    void observe(std::span<double> observation) const override
    {
        FakeTask::observe(observation);
        observation[2] = resets_;
    }

  private:
    int resets_{0};
};

class ForgetfulDomain final : public FakeDomain {
  public:
    [[nodiscard]] std::unique_ptr<Task> make_task() const override
    {
        return std::make_unique<ForgetfulTask>(FakeOptions{});
    }
};

}  // namespace

TEST_CASE("episodes that run at once give the bits of those that run alone")
{
    auto const alone = evaluated(1, 0, {});
    check_same(evaluated(7, 0, {}), alone);
    check_same(evaluated(1000, 0, {}), alone);
    check_same(evaluated(3, 0, {}, 4), alone);
}

TEST_CASE("episodes whose environment is lost are repeated, to the same bits")
{
    auto const untouched = evaluated(1, 0, {});
    check_same(evaluated(1, 1, {0, 60, 400}), untouched);  // of different episodes
    check_same(evaluated(5, 3, {0, 17, 400}), untouched);
    check_same(evaluated(1, 2, {3, 5}), untouched);
}

TEST_CASE("an environment that is lost too often ends the batch with its episode")
{
    std::vector<std::int64_t> always(100'000);
    std::iota(always.begin(), always.end(), 60);
    for (std::int64_t const batch : {1, 4}) {
        try {
            (void)evaluated(batch, 2, always);
            FAIL("no error");
        } catch (SimulationError const& error) {
            std::string const text = error.what();
            CHECK_THAT(text, Catch::Matchers::ContainsSubstring("rank 0 on host "));
            char const* const named =
                batch == 1 ? " failed in episode " : " failed in one of the episodes ";
            CHECK_THAT(text, Catch::Matchers::ContainsSubstring(named));
            CHECK(std::ranges::count(text, ',') == batch - 1);
            CHECK_THAT(text, Catch::Matchers::ContainsSubstring("the environment ended"));
        }
    }
}

TEST_CASE("a domain that depends on earlier episodes is not deterministic")
{
    CHECK(check_determinism(FakeDomain{}, {}).difference.empty());
    CHECK(check_determinism(FakeDomain{}, {}).steps == 60);
    auto const found = check_determinism(ForgetfulDomain{}, {});
    CHECK_THAT(found.difference, Catch::Matchers::ContainsSubstring(
                                     "episode 0, after 0 control steps: observation 2 is 1 and 2"));
}

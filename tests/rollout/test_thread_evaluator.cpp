#include "catch.hpp"
#include "rollout/fake_domain.hpp"

#include "mees/core/stopwatch.hpp"
#include "mees/rollout/threads.hpp"

#include <csignal>

using namespace mees;
using namespace mees::test;

namespace {

BatchResult evaluated(unsigned threads, Batch const& batch, FakeOptions options = {})
{
    ThreadEvaluator evaluator{fake_setup(options), fake_table(), threads};
    StopToken stop;
    return evaluator.evaluate(batch, stop).value();
}

}  // namespace

TEST_CASE("results are bit-identical on any number of threads")
{
    auto const batch = fake_batch(40, fake_table_size);
    FakeOptions const uneven{.steps = 200, .fall_radius = 6};
    auto const one = evaluated(1, batch, uneven);
    REQUIRE(one.outcomes.size() == 5 + 80 + 80);
    EpisodeRunner runner{fake_setup(uneven), fake_table()};
    for (std::int64_t i = 0; i < batch.episodes(); ++i) {
        std::array<double, 2> bc{};
        auto const outcome = runner.run(episode_of(batch, i), bc, [] { return false; });
        REQUIRE(one.outcomes[static_cast<std::size_t>(i)] == outcome.value());
        REQUIRE(std::ranges::equal(one.bc(i), bc));
    }
    for (unsigned const threads : {2U, 5U, 300U}) {
        auto const many = evaluated(threads, batch, uneven);
        CHECK(many.outcomes == one.outcomes);
        CHECK(many.bcs == one.bcs);
        REQUIRE(many.observations.size() == one.observations.size());
        for (std::size_t i = 0; i < one.observations.size(); ++i) {
            CHECK(many.observations[i].episode == one.observations[i].episode);
            CHECK(many.observations[i].moments.count == one.observations[i].moments.count);
            CHECK(many.observations[i].moments.sum == one.observations[i].moments.sum);
            CHECK(many.observations[i].moments.sum_of_squares
                  == one.observations[i].moments.sum_of_squares);
        }
    }
}

TEST_CASE("a stop drops long episodes at once")
{
    ThreadEvaluator evaluator{
        fake_setup({.steps = 10'000, .step_time = std::chrono::microseconds{3000}}), fake_table(),
        2};
    StopToken stop{TimeLimit{StopToken::Clock::now() + std::chrono::milliseconds{100}}, {}};
    Stopwatch watch;
    CHECK_FALSE(evaluator.evaluate(fake_batch(2, fake_table_size), stop));
    CHECK(watch.seconds() < 2);
    CHECK(stop.reason() == StopReason::time_limit);
}

TEST_CASE("an exception of an episode propagates to the caller")
{
    ThreadEvaluator evaluator{fake_setup({.steps = 1000, .throw_radius = 4}), fake_table(), 3};
    StopToken stop;
    CHECK_THROWS_AS(evaluator.evaluate(fake_batch(10, fake_table_size), stop), SimulationError);
}

TEST_CASE("timing has an entry per thread")
{
    ThreadEvaluator evaluator{fake_setup(), fake_table(), 2};
    StopToken stop;
    REQUIRE(evaluator.evaluate(fake_batch(100, fake_table_size), stop));
    CHECK(evaluator.workers() == 2);
    auto const timing = evaluator.timing();
    REQUIRE(timing.size() == 2);
    CHECK(timing[0].episodes + timing[1].episodes == 405);
    CHECK(timing[0].steps + timing[1].steps == 405 * 20);
}

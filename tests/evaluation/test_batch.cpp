#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/evaluation/batch.hpp"

using namespace mees;

namespace {

Batch two_groups()
{
    Batch batch;
    batch.seed = 9;
    Group evaluation;
    evaluation.kind = EpisodeKind::evaluation;
    evaluation.generation = Generation{4};
    evaluation.repeats = 3;
    Group offspring;
    offspring.generation = Generation{5};
    offspring.mirrored = true;
    offspring.offsets = {NoiseOffset{0}, NoiseOffset{7}};
    offspring.observation_fraction = 0.5;
    batch.groups = {evaluation, offspring};
    return batch;
}

}  // namespace

TEST_CASE("episodes are counted through the groups")
{
    auto const batch = two_groups();
    CHECK(batch.episodes() == 7);
    CHECK(episode_of(batch, 2).group_index == 0);
    CHECK(episode_of(batch, 2).repeat == 2);
    CHECK(episode_of(batch, 3).group_index == 1);
    CHECK(episode_of(batch, 6).member == 3);
    CHECK_THROWS_AS(episode_of(batch, 7), ContractViolation);
}

TEST_CASE("an episode's draws do not depend on its batch")
{
    auto const batch = two_groups();
    Batch alone;
    alone.seed = batch.seed;
    alone.groups = {batch.groups[1]};
    for (std::int64_t i = 0; i < 4; ++i) {
        auto together = episode_of(batch, i + 3);
        auto apart = episode_of(alone, i);
        CHECK(together.reset.next() == apart.reset.next());
        CHECK(together.action.next() == apart.action.next());
        CHECK(together.records_observations == apart.records_observations);
    }
}

TEST_CASE("paired seeds give both halves of a pair the same reset, and only that")
{
    auto batch = two_groups();
    auto const reset = [&](std::int64_t i) { return episode_of(batch, i).reset.next(); };
    auto const action = [&](std::int64_t i) { return episode_of(batch, i).action.next(); };
    CHECK(reset(3) != reset(4));
    batch.groups[1].seeds = SharedSeeds::pair;
    CHECK(reset(3) == reset(4));
    CHECK(reset(5) == reset(6));
    CHECK(reset(3) != reset(5));
    CHECK(action(3) != action(4));
}

TEST_CASE("seeds of a generation give every member the same resets")
{
    auto batch = two_groups();
    batch.groups[1].repeats = 2;
    auto const reset = [&](std::int64_t member, std::int64_t repeat) {
        return episode_of(batch, 3 + 2 * member + repeat).reset.next();
    };
    batch.groups[1].seeds = SharedSeeds::pair;
    CHECK(reset(0, 0) == reset(1, 0));
    CHECK(reset(0, 1) == reset(1, 1));
    CHECK(reset(0, 0) != reset(0, 1));
    CHECK(reset(0, 0) != reset(2, 0));
    batch.groups[1].seeds = SharedSeeds::generation;
    for (std::int64_t member = 1; member < 4; ++member) {
        CHECK(reset(member, 0) == reset(0, 0));
        CHECK(reset(member, 1) == reset(0, 1));
    }
    CHECK(reset(0, 0) != reset(0, 1));
}

TEST_CASE("the sampled fraction of episodes records observations")
{
    auto batch = two_groups();
    batch.groups[1].offsets.assign(20'000, NoiseOffset{0});
    batch.groups[1].observation_fraction = 0.01;
    int recorded = 0;
    for (std::int64_t i = 3; i < batch.episodes(); ++i) {
        recorded += episode_of(batch, i).records_observations ? 1 : 0;
    }
    // Binomial(40000, 0.01): 400 +- 5 x 19.9.
    CHECK(std::abs(recorded - 400) < 100);
    CHECK_FALSE(episode_of(batch, 0).records_observations);
}

#include "catch.hpp"
#include "rollout/fake_domain.hpp"

#include "mees/cluster/codec.hpp"

#include <algorithm>
#include <limits>

using namespace mees;
using namespace mees::test;

namespace {

std::vector<std::byte> encoded(Batch const& batch)
{
    std::vector<std::byte> bytes(static_cast<std::size_t>(encoded_size(batch)));
    encode_batch(batch, bytes);
    return bytes;
}

void check_same(EpisodeSpec left, EpisodeSpec right)
{
    auto const& a = *left.group;
    auto const& b = *right.group;
    CHECK(std::ranges::equal(left.centre, right.centre));
    CHECK(a.centre->normaliser == b.centre->normaliser);
    REQUIRE((a.scale == nullptr) == (b.scale == nullptr));
    if (a.scale) {
        CHECK(*a.scale == *b.scale);
    }
    REQUIRE(a.basis.size() == b.basis.size());
    for (std::size_t i = 0; i < a.basis.size(); ++i) {
        CHECK(*a.basis[i] == *b.basis[i]);
    }
    CHECK(a.generation == b.generation);
    CHECK(a.kind == b.kind);
    CHECK(a.variant == b.variant);
    CHECK(a.first_stream == b.first_stream);
    CHECK(a.sigma == b.sigma);
    CHECK(a.mirrored == b.mirrored);
    CHECK(a.seeds == b.seeds);
    CHECK(a.repeats == b.repeats);
    CHECK(a.action_noise == b.action_noise);
    CHECK(a.observation_fraction == b.observation_fraction);
    CHECK(a.offsets == b.offsets);
    CHECK(a.coefficients == b.coefficients);
    CHECK(left.group_index == right.group_index);
    CHECK(left.member == right.member);
    CHECK(left.repeat == right.repeat);
    CHECK(left.reset.next() == right.reset.next());
    CHECK(left.action.next() == right.action.next());
    CHECK(left.records_observations == right.records_observations);
}

}  // namespace

TEST_CASE("a batch is decoded as it was encoded, episode by episode, in any order")
{
    auto batch = fake_batch(7, 4096);
    batch.groups[1].seeds = SharedSeeds::generation;
    batch.groups[2].variant = 3;
    batch.groups[2].kind = EpisodeKind::trial;
    auto const bytes = encoded(batch);
    EncodedBatch received{bytes};
    REQUIRE(received.episodes() == batch.episodes());
    for (auto i = batch.episodes() - 1; i >= 0; --i) {
        check_same(received.episode(i), episode_of(batch, i));
    }
    check_same(received.episode(batch.episodes() - 1), episode_of(batch, batch.episodes() - 1));
}

TEST_CASE("a controller that several groups share is encoded once")
{
    auto const one = fake_batch(7, 4096);
    auto three = one;
    three.groups.push_back(one.groups[0]);
    three.groups.push_back(one.groups[0]);
    auto const parameters = one.groups[0].centre->parameters.size();
    auto const added = encoded_size(three) - encoded_size(one);
    CHECK(added < static_cast<std::int64_t>(parameters * sizeof(float)) + 2 * 128);
    CHECK(added > 0);
}

TEST_CASE("chains are decoded with their links, which are encoded once")
{
    auto const first = fake_controller(4);
    auto link = *fake_controller(5);
    link.before = first;
    auto const second = std::make_shared<Controller const>(link);
    auto batch = fake_batch(3, 4096);
    for (std::size_t i = 0; i < 2; ++i) {
        auto last = *batch.groups[i].centre;
        last.before = second;
        batch.groups[i].centre = std::make_shared<Controller const>(last);
    }
    auto const bytes = encoded(batch);
    EncodedBatch received{bytes};
    for (std::int64_t const episode : {0, 5}) {
        auto const centre = received.episode(episode).group->centre;
        REQUIRE(links_of(centre) == 3);
        CHECK(centre->before->parameters == second->parameters);
        CHECK(centre->before->before->parameters == first->parameters);
        CHECK(centre->before->before->normaliser == first->normaliser);
        check_same(received.episode(episode), episode_of(batch, episode));
    }
    CHECK(links_of(received.episode(batch.episodes() - 1).group->centre) == 1);
    auto shared = batch;
    shared.groups.push_back(batch.groups[0]);
    auto last = *batch.groups[0].centre;
    shared.groups.back().centre = std::make_shared<Controller const>(last);
    auto const one = static_cast<std::int64_t>(last.parameters.size() * sizeof(float)) + 256;
    CHECK(encoded_size(shared) - encoded_size(batch) < one + 128);
}

TEST_CASE("outcomes are stored by episode index")
{
    std::vector<std::byte> reply;
    auto moments = ObservationMoments::none(3);
    moments.add(std::array{1.0, -2.0, 0.5});
    append_outcome(reply, 2, {1.5, 10, EpisodeEnd::completed}, std::array{0.1, 0.2}, nullptr);
    append_outcome(reply, 3, {-3, 4, EpisodeEnd::diverged}, std::array{-0.1, 7.0}, &moments);
    BatchResult result{5, 2};
    CHECK(read_outcomes(reply, result) == 2);
    CHECK(result.outcomes[2] == EpisodeOutcome{1.5, 10, EpisodeEnd::completed});
    CHECK(result.outcomes[3] == EpisodeOutcome{-3, 4, EpisodeEnd::diverged});
    CHECK(result.outcomes[4] == EpisodeOutcome{});
    CHECK(result.bcs == std::vector{0.0, 0.0, 0.0, 0.0, 0.1, 0.2, -0.1, 7.0, 0.0, 0.0});
    REQUIRE(result.observations.size() == 1);
    CHECK(result.observations[0].episode == 3);
    CHECK(result.observations[0].moments.count == 1);
    CHECK(result.observations[0].moments.sum_of_squares == Eigen::Vector3d(1, 4, 0.25));
}

TEST_CASE("a truncated message is detected")
{
    auto bytes = encoded(fake_batch(3, 4096));
    bytes.resize(bytes.size() / 2);
    CHECK_THAT(message_of<ContractViolation>([&] { (void)EncodedBatch{bytes}; }),
               Catch::Matchers::ContainsSubstring("a complete message"));
}

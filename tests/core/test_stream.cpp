#include "catch.hpp"
#include "mees/core/stream.hpp"

#include <cmath>
#include <numbers>
#include <set>
#include <vector>

using namespace mees;

// Known answers for philox4x32-10 published with Random123 (kat_vectors).
TEST_CASE("Philox reproduces the known answers of Random123")
{
    CHECK(philox({0, 0, 0, 0}, {0, 0})
          == std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff})
          == std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0})
          == std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a stream is identified by seed, purpose, generation and index")
{
    auto const first = [](std::uint64_t seed, Purpose purpose, std::int64_t generation,
                          std::int64_t index) {
        return Stream{seed, purpose, Generation{generation}, index}.next();
    };
    CHECK(first(1, Purpose::test, 2, 3) == first(1, Purpose::test, 2, 3));
    std::set<std::uint32_t> const different{
        first(1, Purpose::test, 2, 3), first(2, Purpose::test, 2, 3),
        first(1, Purpose::mode, 2, 3), first(1, Purpose::test, 3, 3),
        first(1, Purpose::test, 2, 4), first(std::uint64_t{1} << 40U, Purpose::test, 2, 3)};
    CHECK(different.size() == 6);
}

TEST_CASE("a stream's words are the blocks of its counter")
{
    Stream stream{7, Purpose::test, Generation{5}, 9};
    auto const purpose = static_cast<std::uint32_t>(Purpose::test);
    for (std::uint32_t block = 0; block < 3; ++block) {
        for (auto const word : philox({block, 9, 5, purpose}, {7, 0})) {
            CHECK(stream.next() == word);
        }
    }
}

TEST_CASE("uniform and normal draws have the expected moments")
{
    Stream stream{3, Purpose::test, Generation{0}};
    constexpr int count = 200'000;
    double sum = 0;
    double squares = 0;
    double uniform_sum = 0;
    int within_one = 0;
    for (int i = 0; i < count; ++i) {
        double const u = stream.uniform();
        REQUIRE(u >= 0);
        REQUIRE(u < 1);
        uniform_sum += u;
        double const z = stream.normal();
        sum += z;
        squares += z * z;
        within_one += std::abs(z) < 1 ? 1 : 0;
    }
    // Five standard errors each.
    CHECK(std::abs(uniform_sum / count - 0.5) < 5 * std::sqrt(1.0 / 12 / count));
    CHECK(std::abs(sum / count) < 5 / std::sqrt(count));
    CHECK(std::abs(squares / count - 1) < 5 * std::sqrt(2.0 / count));
    CHECK(std::abs(double(within_one) / count - std::erf(1 / std::numbers::sqrt2)) < 0.006);
}

TEST_CASE("draws below a count are uniform and stay below it")
{
    Stream stream{11, Purpose::test, Generation{0}};
    std::vector<int> seen(7, 0);
    for (int i = 0; i < 70'000; ++i) {
        ++seen.at(static_cast<std::size_t>(stream.below(7)));
    }
    for (int const times : seen) {
        CHECK(std::abs(times - 10'000) < 500);
    }
}

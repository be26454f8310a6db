#include "catch.hpp"
#include "mees/algorithms/selection.hpp"

using namespace mees;

namespace {

/// Three entries and five members.
struct Example {
    Example() : archive{2, {.k = 3}}
    {
        for (auto const& bc : {std::vector{0.0, 0.0}, {1.0, 0.0}, {0.5, 2.0}}) {
            archive.add(bc);
        }
    }
    NoveltyArchive archive;
    std::vector<double> archive_fitness{1, 5, -2};
    std::vector<double> bcs{0.1, 0.2, 1.5, 0.5, 0.4, 1.9, -1, -1, 0.9, 0.1};
    std::vector<double> fitness{2, 0, 3, -1, 6};
};

}  // namespace

TEST_CASE("members are ordered by value, the lower one at a tie")
{
    CHECK(descending(std::vector{1.0, 3.0, 2.0, 3.0}) == std::vector<std::size_t>{1, 3, 2, 0});
}

// Expected values: numpy, distances of all pairs and a stable argsort of each row.
TEST_CASE("novelty and local competition count the archive and the other members")
{
    Example const example;
    auto const novelties = novelties_within(example.archive, example.bcs);
    std::vector<double> const expected{0.6505956727697076, 0.9533330475356602, 1.216046129292334,
                                       1.745848487331027, 0.5562524620533208};
    REQUIRE(novelties.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(novelties[i] == Approx(expected[i]).epsilon(1e-14));
    }
    CHECK(local_competition(example.archive, example.archive_fitness, example.bcs, example.fitness)
          == std::vector<double>{1, 0, 3, 0, 3});
}

TEST_CASE("local competition among fewer than k neighbours, and with none")
{
    NoveltyArchive const empty{1, {.k = 10}};
    CHECK(local_competition(empty, {}, std::vector{0.0, 1.0, 2.0}, std::vector{3.0, 1.0, 2.0})
          == std::vector<double>{2, 0, 1});
    CHECK(local_competition(empty, {}, std::vector{0.0}, std::vector{3.0})
          == std::vector<double>{0});
}

// Expected order: pymoo 0.6, NonDominatedSorting and calc_crowding_distance.
TEST_CASE("the Pareto order is that of NSGA-II")
{
    std::vector<double> const first{1.0, 0.2, 0.8, 0.5, 0.9, 0.5, 0.1, 0.3};
    std::vector<double> const second{1, 5, 3, 4, 1, 2, 1, 4};
    CHECK(pareto_order(first, second) == std::vector<std::size_t>{0, 1, 2, 3, 4, 7, 5, 6});
    CHECK(pareto_order(std::vector{1.0, 1.0}, std::vector{2.0, 2.0})
          == std::vector<std::size_t>{0, 1});
    CHECK(pareto_order({}, {}).empty());
}

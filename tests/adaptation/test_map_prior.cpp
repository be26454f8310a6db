#include "adaptation/maps.hpp"
#include "catch.hpp"
#include "mees/adaptation/map_optimiser.hpp"
#include "mees/core/error.hpp"

using namespace mees;

TEST_CASE("the prior is the map in scaled units")
{
    auto const prior = prior_of(small_map());
    REQUIRE(prior.cells.size() == 29);
    CHECK(prior.cells[6] == CellId{6});
    CHECK(prior.cells[7] == CellId{8});
    CHECK(prior.lowest == 100.0);
    CHECK(prior.highest == Approx(401.4));
    CHECK(prior.fitness.minCoeff() == 0.0);
    CHECK(prior.fitness.maxCoeff() == 1.0);
    // Cell 8 is bin (1, 3): BC (-0.7, 7.2).
    CHECK(prior.points(7, 0) == Approx(1.3 / 6));
    CHECK(prior.points(7, 1) == Approx(0.72));
    CHECK(prior.scaled(100.0 - 301.4) == Approx(-1.0));
    CHECK(prior.unscaled(prior.scaled(1234.5)) == Approx(1234.5));
}

TEST_CASE("an empty map and a map of one fitness are refused")
{
    EliteMap map{BehaviourSpace{std::vector<std::int64_t>{5}, {0}, {1}}};
    CHECK_THROWS_AS(prior_of(map), FileError);
    map.insert(elite({0.1}, 1));
    CHECK_THROWS_AS(prior_of(map), FileError);
    map.insert(elite({0.9}, 1));
    CHECK_THROWS_AS(prior_of(map), FileError);
    map.insert(elite({0.5}, 1.5));
    CHECK(prior_of(map).cells.size() == 3);
}

#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/qd/elite_map.hpp"

#include <limits>

using namespace mees;

namespace {

Elite elite(std::vector<double> bc, double fitness)
{
    Elite result;
    result.bc = std::move(bc);
    result.fitness = fitness;
    return result;
}

}  // namespace

TEST_CASE("a controller enters an empty cell or that of a less fit one")
{
    EliteMap map{BehaviourSpace{{2}, {0}, {1}}};
    CHECK(map.insert(elite({0.1}, 1)).outcome == InsertionOutcome::discovered);
    CHECK(map.insert(elite({0.2}, 1)).outcome == InsertionOutcome::rejected);
    CHECK(map.insert(elite({0.2}, 1.5)).outcome == InsertionOutcome::improved);
    CHECK(map.insert(elite({0.9}, -3)).outcome == InsertionOutcome::discovered);
    CHECK(map.filled() == 2);
    CHECK(map.find(CellId{0})->bc == std::vector{0.2});
    CHECK(map.find(CellId{0})->inserted == 1);
    CHECK(best_cell(map) == CellId{0});
    CHECK(qd_score(map, -5) == 1.5 + 5 + (-3 + 5));
    CHECK_THROWS_AS(map.insert(elite({0.1}, std::numeric_limits<double>::quiet_NaN())),
                    ContractViolation);
}

TEST_CASE("the best of equals is the lower cell")
{
    EliteMap map{BehaviourSpace{{3}, {0}, {3}}};
    map.insert(elite({2.5}, 7));
    map.insert(elite({1.5}, 7));
    CHECK(best_cell(map) == CellId{1});
}

#include "catch.hpp"
#include "mees/algorithms/offspring.hpp"

using namespace mees;

namespace {

OffspringValues offspring_of(std::vector<double> fitness, std::vector<double> bcs)
{
    return {1, fitness, fitness, std::move(bcs)};
}

Elite elite_at(double bc, double fitness)
{
    return {.controller = nullptr, .bc = {bc}, .fitness = fitness};
}

}  // namespace

// Two members of two episodes each, after an episode of something else: means by hand.
TEST_CASE("offspring values are means over each member's episodes")
{
    BatchResult result{5, 2};
    result.outcomes = {{99}, {4, 1, {}, 1}, {2, 1, {}, 1}, {10, 1, {}, 3}, {20, 1, {}, 4}};
    result.bcs = {9, 9, 0, 1, 2, 3, 4, 4, 6, 8};
    OffspringValues values;
    append_offspring(values, result, {1, 4}, 2);
    CHECK(values.fitness == std::vector<double>{3, 15});
    CHECK(values.objective == std::vector<double>{2, 11.5});
    CHECK(values.bcs == std::vector<double>{1, 2, 5, 6});
    append_offspring(values, result, {1, 2}, 2);
    CHECK(values.fitness == std::vector<double>{3, 15, 3});
}

// Cells of width 1 from 0 to 4. Elites: 5 in cell 0, 2 in cell 1; the lowest fitness is 2.
// Improvements: cell 0: 9 - 5 = 4 (member 0, better than member 1); cell 1: 3 - 2 = 1 (member 2);
// cell 2 (empty): 4 - 2 = 2 (member 3); cell 3 (empty): 1 - 2 = -1 (member 4).
TEST_CASE("the offspring that improve their cells most are chosen, one per cell")
{
    EliteMap map{BehaviourSpace{{4}, {0}, {4}}};
    map.insert(elite_at(0.5, 5));
    map.insert(elite_at(1.5, 2));
    auto const values = offspring_of({9, 8, 3, 4, 1, 1.5}, {0.1, 0.9, 1.2, 2.2, 3.3, 1.1});
    CHECK(most_improving(values, map, 10) == std::vector<std::int64_t>{0, 3, 2, 4});
    CHECK(most_improving(values, map, 2) == std::vector<std::int64_t>{0, 3});
    CHECK(most_improving(values, map, 0).empty());
    CHECK(most_improving(offspring_of({5, 2}, {0.5, 1.5}), map, 10).empty());
}

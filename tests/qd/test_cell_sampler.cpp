#include "catch.hpp"
#include "mees/qd/cell_sampler.hpp"

#include <map>

using namespace mees;

namespace {

struct Row {
    double fitness;
    double novelty;
};

/// Row i is in cell i; rows are inserted in the given order.
EliteMap map_of(std::vector<Row> const& rows, std::vector<std::size_t> order = {})
{
    EliteMap map{BehaviourSpace{{20}, {0}, {20}}};
    if (order.empty()) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            order.push_back(i);
        }
    }
    for (auto const i : order) {
        Elite elite;
        elite.bc = {static_cast<double>(i) + 0.5};
        elite.fitness = rows[i].fitness;
        elite.novelty = rows[i].novelty;
        map.insert(elite);
    }
    return map;
}

std::map<std::int64_t, double> probabilities(CellDistribution const& distribution)
{
    std::map<std::int64_t, double> result;
    for (auto const& [cell, probability] : distribution) {
        result[cell.value()] += probability;
    }
    return result;
}

}  // namespace

TEST_CASE("explore: in proportion to novelty; novelties [2, 1] give 2/3 and 1/3")
{
    auto const p =
        probabilities(explore_distribution(map_of({{0, 2}, {0, 1}}), ExploreCells::most_novel));
    CHECK(p.at(0) == Approx(2.0 / 3));
    CHECK(p.at(1) == Approx(1.0 / 3));
}

TEST_CASE("explore: novelties [2, 1, 1] give 1/2, 1/4 and 1/4")
{
    auto const p = probabilities(
        explore_distribution(map_of({{0, 2}, {0, 1}, {0, 1}}), ExploreCells::most_novel));
    CHECK(p.at(0) == Approx(0.5));
    CHECK(p.at(1) == Approx(0.25));
    CHECK(p.at(2) == Approx(0.25));
}

TEST_CASE("explore: only the five most novel, ties to the lower cell")
{
    auto const map = map_of({{0, 1}, {0, 5}, {0, 1}, {0, 2}, {0, 3}, {0, 1}, {0, 4}});
    auto const p = probabilities(explore_distribution(map, ExploreCells::most_novel));
    CHECK(p.size() == 5);
    CHECK(p.at(0) == Approx(1.0 / 15));
    CHECK(p.at(1) == Approx(5.0 / 15));
    CHECK_FALSE(p.contains(2));
    CHECK_FALSE(p.contains(5));

    auto const mixed = probabilities(explore_distribution(map, ExploreCells::most_novel_mixed));
    CHECK(mixed.size() == 7);
    CHECK(mixed.at(2) == Approx(0.1 / 7));
    CHECK(mixed.at(1) == Approx(0.9 * 5 / 15 + 0.1 / 7));
    CHECK(probabilities(explore_distribution(map, ExploreCells::uniform)).at(3) == Approx(1.0 / 7));
}

TEST_CASE("explore: uniform while all novelties are 0")
{
    auto const p = probabilities(
        explore_distribution(map_of(std::vector<Row>(8, Row{1, 0})), ExploreCells::most_novel));
    CHECK(p.size() == 8);
    CHECK(p.at(7) == Approx(1.0 / 8));
}

TEST_CASE("exploit: half on the two fittest, half on the two fittest of the last five updated")
{
    // Fittest: 0 and 1. Last five inserted: 2..6, of which 4 and 2 are the fittest.
    auto const map = map_of({{9, 0}, {8, 0}, {3, 0}, {1, 0}, {4, 0}, {0, 0}, {2, 0}});
    auto const p = probabilities(exploit_distribution(map, ExploitCells::best_or_recent));
    CHECK(p.size() == 4);
    CHECK(p.at(0) == Approx(0.25));
    CHECK(p.at(1) == Approx(0.25));
    CHECK(p.at(4) == Approx(0.25));
    CHECK(p.at(2) == Approx(0.25));

    auto const other = probabilities(exploit_distribution(map, ExploitCells::best_or_uniform));
    CHECK(other.at(0) == Approx(0.5 + 0.5 / 7));
    CHECK(other.at(6) == Approx(0.5 / 7));
}

TEST_CASE("exploit: recent is by insertion of either rule, ties go to the lower cell")
{
    // Cells 5 4 3 2 1 0 in this order: the last five are 4 3 2 1 0; all equally fit.
    auto const map = map_of(std::vector<Row>(6, Row{1, 0}), {5, 4, 3, 2, 1, 0});
    auto const p = probabilities(exploit_distribution(map, ExploitCells::best_or_recent));
    CHECK(p.size() == 2);
    CHECK(p.at(0) == Approx(0.5));
    CHECK(p.at(1) == Approx(0.5));
}

TEST_CASE("draws follow the distribution")
{
    CellDistribution const distribution{{CellId{3}, 0.5}, {CellId{5}, 0.3}, {CellId{9}, 0.2}};
    std::map<std::int64_t, int> counts;
    Stream stream{1, Purpose::test, Generation{0}};
    for (int i = 0; i < 100'000; ++i) {
        ++counts[sample(distribution, stream).value()];
    }
    // Five standard errors: 5 sqrt(p (1 - p) / n) < 0.008.
    CHECK(std::abs(counts[3] / 1e5 - 0.5) < 0.008);
    CHECK(std::abs(counts[5] / 1e5 - 0.3) < 0.008);
    CHECK(std::abs(counts[9] / 1e5 - 0.2) < 0.008);
}

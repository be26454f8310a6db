#include "catch.hpp"
#include "mees/algorithms/thresholds.hpp"

using namespace mees;

namespace {

struct Add {
    std::vector<CellId> cells;
    std::vector<double> objectives;
};

/// Two batches on a map of four cells.
Add const first{{CellId{0}, CellId{0}, CellId{1}, CellId{3}, CellId{0}}, {1, 3, -2, 0.5, -12}};
Add const second{{CellId{0}, CellId{0}, CellId{1}, CellId{1}, CellId{3}}, {2, 2.5, 4, -1, 0.25}};

struct Expected {
    std::vector<double> values;
    std::vector<bool> accepted;
    std::map<CellId, double> thresholds;
};

void check_batch(ThresholdRule const& rule, std::map<CellId, double>& thresholds, Add const& batch,
                 Expected const& expected)
{
    auto const compared = improvements(rule, thresholds, batch.cells, batch.objectives);
    for (std::size_t i = 0; i < compared.size(); ++i) {
        CHECK(compared[i].value == Approx(expected.values[i]).epsilon(1e-12));
        CHECK(compared[i].accepted == expected.accepted[i]);
    }
    update_thresholds(rule, thresholds, batch.cells, batch.objectives);
    REQUIRE(thresholds.size() == expected.thresholds.size());
    for (auto const& [cell, value] : expected.thresholds) {
        CHECK(thresholds.at(cell) == Approx(value).epsilon(1e-12));
    }
}

std::map<CellId, double> three(double a, double b, double c)
{
    return {{CellId{0}, a}, {CellId{1}, b}, {CellId{3}, c}};
}

}  // namespace

// Expected values: pyribs 0.12.0, GridArchive(dims=[4], learning_rate, threshold_min), the "value"
// and "status" of `add` and the archive's "threshold" after it.
TEST_CASE("thresholds move as in pyribs")
{
    std::vector<bool> const but_the_last{true, true, true, true, false};
    SECTION("rate 0.1")
    {
        ThresholdRule const rule{.rate = 0.1, .floor = -10};
        std::map<CellId, double> thresholds;
        check_batch(rule, thresholds, first,
                    {{11, 13, 8, 10.5, -2}, but_the_last, three(-7.72, -9.2, -8.95)});
        check_batch(rule, thresholds, second,
                    {{9.72, 10.22, 13.2, 8.2, 9.2},
                     {true, true, true, true, true},
                     three(-5.8257, -7.167, -8.03)});
    }
    SECTION("rate 0: values are fitness above the floor")
    {
        ThresholdRule const rule{.rate = 0, .floor = -10};
        std::map<CellId, double> thresholds;
        check_batch(rule, thresholds, first,
                    {{11, 13, 8, 10.5, -2}, but_the_last, three(-10, -10, -10)});
        check_batch(
            rule, thresholds, second,
            {{12, 12.5, 14, 9, 10.25}, {true, true, true, true, true}, three(-10, -10, -10)});
    }
    SECTION("rate 1")
    {
        ThresholdRule const rule{.rate = 1, .floor = -10};
        std::map<CellId, double> thresholds;
        check_batch(rule, thresholds, first,
                    {{11, 13, 8, 10.5, -2}, but_the_last, three(2, -2, 0.5)});
        check_batch(
            rule, thresholds, second,
            {{0, 0.5, 6, 1, -0.25}, {false, true, true, true, false}, three(2.5, 1.5, 0.5)});
    }
    SECTION("CMA-ME: rate 1 and no floor")
    {
        ThresholdRule const rule{.rate = 1, .floor = {}};
        std::map<CellId, double> thresholds;
        check_batch(rule, thresholds, first,
                    {{1, 3, -2, 0.5, -12}, {true, true, true, true, true}, three(3, -2, 0.5)});
        check_batch(rule, thresholds, second,
                    {{-1, -0.5, 6, 1, -0.25}, {false, false, true, true, false}, three(3, 4, 0.5)});
    }
}

TEST_CASE("CMA-ME ranks discoveries before improvements before the rest")
{
    std::vector<Improvement> const all{{true, false, 9},
                                       {true, true, -5},
                                       {false, false, -1},
                                       {true, true, 2},
                                       {false, false, -1}};
    CHECK(ranking_values({.rate = 1, .floor = {}}, all) == std::vector<double>{1, 2, 0, 3, 0});
    CHECK(ranking_values({.rate = 0.1, .floor = -10}, all)
          == std::vector<double>{9, -5, -1, 2, -1});
}

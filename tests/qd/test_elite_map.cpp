#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/qd/elite_map.hpp"
#include "scratch_folder.hpp"

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

TEST_CASE("a map with a store has the same elites, and keeps all of them there")
{
    test::ScratchFolder const folder;
    auto const with_parameter = [](double bc, double fitness) {
        auto one = elite({bc}, fitness);
        auto const value = static_cast<float>(fitness);
        one.controller = std::make_shared<Controller const>(
            Controller{Eigen::VectorXf::Constant(5, value), Normaliser::identity(1)});
        return one;
    };
    auto const parameters_of = [](EliteMap const& map) {
        std::vector<float> values;
        for (auto const& [cell, one] : map.elites()) {
            CHECK(one.controller->parameters.is_kept() == (map.store() != nullptr));
            values.push_back(one.controller->parameters[4]);
        }
        return values;
    };
    EliteMap map{BehaviourSpace{{4}, {0}, {4}}};
    map.insert(with_parameter(0.5, 1));
    map.insert(with_parameter(1.5, 2));
    map.set_store(std::make_shared<ParameterStore>(folder.path(), 0));
    map.insert(with_parameter(0.5, 3));
    CHECK(map.insert(with_parameter(0.5, 2)).outcome == InsertionOutcome::rejected);
    map.restore(CellId{3}, with_parameter(3.5, 4));
    map.restore(CellId{2}, elite({2.5}, 5));  // without a controller
    auto const copy = map;
    CHECK(copy.store() == map.store());
    CHECK(map.find(CellId{2})->controller == nullptr);
    EliteMap without{map.space()};
    for (auto const cell : {0, 1, 3}) {
        auto one = *map.find(CellId{cell});
        one.controller = std::make_shared<Controller const>(
            Controller{one.controller->parameters.values(), one.controller->normaliser});
        without.restore(CellId{cell}, std::move(one));
    }
    CHECK(parameters_of(without) == std::vector<float>{3, 2, 4});
    EliteMap again{map.space(), map.store()};
    for (auto const cell : {0, 1, 3}) {
        again.restore(CellId{cell}, *map.find(CellId{cell}));
        CHECK(again.find(CellId{cell})->controller == map.find(CellId{cell})->controller);
    }
    CHECK(parameters_of(again) == std::vector<float>{3, 2, 4});
    CHECK(again.store()->bytes_in_memory() == 0);
}

#include "adaptation/maps.hpp"
#include "catch.hpp"

#include "mees/adaptation/map_optimiser.hpp"

#include <memory>
#include <vector>

using namespace mees;

namespace {

std::shared_ptr<MapPrior const> shared_prior(EliteMap const& map)
{
    return std::make_shared<MapPrior const>(prior_of(map));
}

MapOptimiser run(MapOptimiserSettings const& settings)
{
    MapOptimiser optimiser{shared_prior(small_map()), settings};
    while (!optimiser.finished()) {
        optimiser.tell(damaged_fitness(optimiser.ask().value()));
    }
    return optimiser;
}

std::vector<std::int64_t> cells(MapOptimiser const& optimiser)
{
    std::vector<std::int64_t> cells;
    for (auto const& trial : optimiser.trials()) {
        cells.push_back(trial.cell.value());
    }
    return cells;
}

}  // namespace

// The loop written with scikit-learn 1.9.1's GaussianProcessRegressor, refitted at every trial.
TEST_CASE("trials follow the textbook loop")
{
    SECTION("acquisition with the variance")
    {
        auto const optimiser =
            run({.rho = 0.2, .kappa = 0.3, .noise_variance = 0.01, .trials = 12});
        CHECK(cells(optimiser)
              == std::vector<std::int64_t>{14, 28, 15, 2, 26, 24, 4, 10, 8, 17, 24, 24});
        CHECK(optimiser.answer() == CellId{24});
        std::vector<double> const predicted{401.4,         384.997034931, 362.535602636,
                                            290.547354285, 289.094879041, 290.628235415,
                                            263.578354742, 244.095855854, 235.392644305,
                                            208.056029258, 237.879469252, 237.541794819};
        std::vector<double> const variance{90841.96,      90648.4864497, 90825.3003236,
                                           90548.7710641, 87114.2276107, 74766.285172,
                                           84721.1324379, 55482.1160823, 62213.7429303,
                                           83386.8449378, 897.468472208, 451.455415805};
        for (std::size_t i = 0; i < predicted.size(); ++i) {
            auto const& trial = optimiser.trials()[i];
            CHECK(trial.predicted == Approx(predicted[i]).epsilon(1e-9));
            CHECK(trial.variance == Approx(variance[i]).epsilon(1e-9));
            CHECK(trial.fitness == damaged_fitness(trial.cell.value()));
        }
    }
    SECTION("acquisition with the standard deviation")
    {
        auto const optimiser = run({.rho = 0.2,
                                    .kappa = 0.3,
                                    .noise_variance = 0.01,
                                    .acquisition = Acquisition::std,
                                    .trials = 12});
        CHECK(cells(optimiser)
              == std::vector<std::int64_t>{14, 28, 15, 2, 26, 24, 4, 10, 8, 17, 24, 27});
    }
    SECTION("stopping early")
    {
        auto const optimiser =
            run({.rho = 0.2, .kappa = 0.3, .noise_variance = 0.01, .trials = 12, .alpha = 0.8});
        CHECK(cells(optimiser) == std::vector<std::int64_t>{14, 28, 15, 2, 26, 24});
        CHECK(optimiser.answer() == CellId{4});
    }
}

TEST_CASE("ask has no side effects")
{
    MapOptimiser optimiser{shared_prior(small_map()), {}};
    auto const first = optimiser.ask();
    CHECK(optimiser.ask() == first);
    optimiser.tell(0);
    REQUIRE(optimiser.trials().size() == 1);
    CHECK(optimiser.trials().front().cell == first);
}

TEST_CASE("ties go to the lower cell")
{
    EliteMap map{BehaviourSpace{std::vector<std::int64_t>{5}, {0}, {1}}};
    map.insert(elite({0.1}, 1));
    map.insert(elite({0.5}, 2));
    map.insert(elite({0.9}, 2));
    MapOptimiser const optimiser{shared_prior(map), {}};
    CHECK(optimiser.ask() == CellId{2});
    CHECK(optimiser.answer() == CellId{2});
}

TEST_CASE("the prior decides until measurements contradict it, and they are not clipped")
{
    EliteMap map{BehaviourSpace{std::vector<std::int64_t>{2}, {0}, {1}}};
    map.insert(elite({0.25}, 0));
    map.insert(elite({0.75}, 10));
    MapOptimiser optimiser{shared_prior(map), {.trials = 3}};
    CHECK(optimiser.ask() == CellId{1});
    optimiser.tell(-1000);
    CHECK(optimiser.answer() == CellId{0});
    CHECK(optimiser.ask() == CellId{0});
    optimiser.tell(5);
    // Posterior at cell 1: 1 + (-100 - 1) / 1.01 scaled; not clipped at 0.
    CHECK(optimiser.ask() == CellId{0});
    optimiser.tell(5);
    CHECK(optimiser.finished());
}

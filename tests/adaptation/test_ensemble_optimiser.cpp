#include "catch.hpp"
#include "mees/adaptation/ensemble_optimiser.hpp"
#include "mees/adaptation/map_optimiser.hpp"

#include <Eigen/Dense>

#include <cmath>
#include <numbers>

#include "maps.hpp"

using namespace mees;

namespace {

/// The same cells with other fitness: that of the damaged robot.
EliteMap damaged_map()
{
    auto const intact = small_map();
    EliteMap map{intact.space()};
    for (auto const& [cell, old] : intact.elites()) {
        map.insert(elite(old.bc, damaged_fitness(cell.value())));
    }
    return map;
}

EnsembleTrial trial(std::int64_t map, std::int64_t cell, double fitness)
{
    return {{.map = map, .cell = CellId{cell}}, fitness};
}

/// ln N(values; prior, K + noise I) by the textbook formula, with an inverse and a determinant.
double log_density(Eigen::MatrixXd const& points, Eigen::VectorXd const& prior,
                   Eigen::VectorXd const& values, MapOptimiserSettings const& settings)
{
    auto const count = points.rows();
    Eigen::MatrixXd covariance(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
        for (Eigen::Index j = 0; j < count; ++j) {
            double const s = std::sqrt(5.0) * (points.row(i) - points.row(j)).norm() / settings.rho;
            covariance(i, j) =
                (1 + s + s * s / 3) * std::exp(-s) + (i == j ? settings.noise_variance : 0);
        }
    }
    Eigen::VectorXd const residual = values - prior;
    return -0.5
           * (residual.dot(covariance.inverse() * residual) + std::log(covariance.determinant())
              + static_cast<double>(count) * std::log(2 * std::numbers::pi));
}

}  // namespace

TEST_CASE("with one map, an ensemble is a MapOptimiser bit for bit")
{
    for (auto const acquisition : {Acquisition::variance, Acquisition::std}) {
        MapOptimiserSettings const settings{
            .rho = 0.2, .acquisition = acquisition, .trials = 12, .alpha = 0.95};
        auto const prior = prior_of(small_map());
        MapOptimiser one{std::make_shared<MapPrior const>(prior), settings};
        EnsembleOptimiser ensemble{{prior}, settings};
        while (!one.finished()) {
            REQUIRE_FALSE(ensemble.finished());
            auto const proposal = ensemble.ask();
            REQUIRE(proposal.cell == one.ask());
            double const fitness = damaged_fitness(proposal.cell.value());
            one.tell(fitness);
            ensemble.tell({proposal, fitness});
            auto const& last = one.trials().back();
            CHECK(proposal.predicted == last.predicted);
            CHECK(proposal.variance == last.variance);
        }
        CHECK(ensemble.finished());
        CHECK(ensemble.answer().cell == one.answer());
        CHECK(ensemble.trials().size() == one.trials().size());
    }
}

TEST_CASE("the likelihood of a map is that of its Gaussian process")
{
    MapOptimiserSettings const settings{.rho = 0.3, .noise_variance = 0.02};
    std::vector const maps{small_map(), damaged_map()};
    EnsembleOptimiser ensemble{{prior_of(maps[0]), prior_of(maps[1])}, settings};
    CHECK(ensemble.log_likelihoods() == std::vector<double>{0, 0});
    CHECK(ensemble.best_map() == 0);
    std::vector<EnsembleTrial> const trials{trial(0, 3, 150), trial(1, 22, 90), trial(0, 3, 140),
                                            trial(1, 11, 200)};
    double lowest = 1e300;
    double highest = -1e300;
    for (auto const& map : maps) {
        for (auto const& [cell, elite] : map.elites()) {
            lowest = std::min(lowest, elite.fitness);
            highest = std::max(highest, elite.fitness);
        }
    }
    Eigen::MatrixXd points(4, 2);
    Eigen::VectorXd values(4);
    for (Eigen::Index i = 0; i < 4; ++i) {
        auto const& made = trials[static_cast<std::size_t>(i)];
        ensemble.tell(made);
        // Both maps have the same BCs, over [-2, 4] x [0, 10].
        auto const& bc = maps[0].find(made.tried.cell)->bc;
        points.row(i) << (bc[0] + 2) / 6, bc[1] / 10;
        values[i] = (made.fitness - lowest) / (highest - lowest);
    }
    for (std::size_t map = 0; map < 2; ++map) {
        Eigen::VectorXd prior(4);
        for (Eigen::Index i = 0; i < 4; ++i) {
            auto const cell = trials[static_cast<std::size_t>(i)].tried.cell;
            prior[i] = (maps[map].find(cell)->fitness - lowest) / (highest - lowest);
        }
        CHECK(ensemble.log_likelihoods()[map]
              == Approx(log_density(points, prior, values, settings)).epsilon(1e-9));
    }
}

TEST_CASE("trials are chosen from the map that explains the earlier ones")
{
    EnsembleOptimiser ensemble{{prior_of(small_map()), prior_of(damaged_map())}, {.trials = 6}};
    CHECK(ensemble.ask().map == 0);
    for (int i = 0; i < 6; ++i) {
        auto const proposal = ensemble.ask();
        ensemble.tell({proposal, damaged_fitness(proposal.cell.value())});
        // The robot is the damaged one, so its map explains every trial but for rounding.
        CHECK(ensemble.best_map() == 1);
    }
    CHECK(ensemble.finished());
    CHECK(ensemble.log_likelihoods()[1] > ensemble.log_likelihoods()[0]);
    CHECK(ensemble.answer().map == 1);
    auto const damaged = damaged_map();
    CHECK(ensemble.answer().cell == best_cell(damaged).value());
}

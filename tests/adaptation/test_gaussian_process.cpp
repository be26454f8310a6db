#include "catch.hpp"

#include "mees/adaptation/gaussian_process.hpp"
#include "mees/core/error.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/core/stream.hpp"

#include <array>
#include <cmath>
#include <utility>

using namespace mees;

namespace {

// Twelve candidates in the plane and five observations, one candidate twice; the expected values
// below are for the same numbers.
constexpr Eigen::Index count = 12;

Eigen::MatrixXd points()
{
    Eigen::MatrixXd points(count, 2);
    for (int i = 0; i < count; ++i) {
        points(i, 0) = (7 * i % 12) / 11.0;
        points(i, 1) = (5 * i * i % 13) / 12.0;
    }
    return points;
}

Eigen::ArrayXd prior()
{
    Eigen::ArrayXd prior(count);
    for (int i = 0; i < count; ++i) {
        prior[i] = ((3 * i + 1) % 12) / 11.0;
    }
    return prior;
}

GaussianProcess observed_process(double rho, double noise)
{
    constexpr std::array<std::pair<Eigen::Index, double>, 5> observations{
        {{3, 0.9}, {7, 0.2}, {3, 0.7}, {0, -0.4}, {11, 1.3}}};
    GaussianProcess process{points(), prior(), rho, noise};
    for (auto const& [candidate, value] : observations) {
        process.observe(candidate, value);
    }
    return process;
}

void check_close(Eigen::ArrayXd const& values, std::array<double, count> const& expected)
{
    for (Eigen::Index i = 0; i < count; ++i) {
        CHECK(values[i]
              == Approx(expected[static_cast<std::size_t>(i)]).margin(1e-12).epsilon(1e-10));
    }
}

}  // namespace

// scikit-learn 1.9.1, GaussianProcessRegressor(kernel=Matern(length_scale=rho, nu=2.5),
// alpha=noise, optimizer=None) fitted to observation - prior; the prior added to its prediction.
TEST_CASE("the posterior equals that of scikit-learn")
{
    SECTION("neighbours that matter to each other")
    {
        auto const process = observed_process(0.3, 0.01);
        check_close(process.mean(),
                    {-0.394913369613537, 0.490292545167237, 0.592320431080404, 0.801813237660798,
                     0.0481538111800221, 0.247377917386217, 0.646596197399805, 0.208499889805825,
                     0.153060485668452, 0.236930951993964, 0.474804067596912, 1.29242037936598});
        check_close(process.variance(),
                    {0.00990053731593998, 0.330650994277267, 0.551824293159221, 0.00497053108612189,
                     0.79005680359181, 0.597959054625091, 0.770095935014058, 0.00989510696339546,
                     0.363322099986689, 0.705292479327948, 0.128946670261156, 0.00987589714159498});
    }
    SECTION("the paper's length scale")
    {
        auto const process = observed_process(0.03, 0.01);
        check_close(process.mean(),
                    {-0.395139513951395, 0.363633616312278, 0.636363726646886, 0.800542740841713,
                     0.0909090908934317, 0.363636214968612, 0.636363636990641, 0.207020702070207,
                     0.0909027706213845, 0.363636358950429, 0.633505357598531, 1.29612961296104});
        check_close(process.variance(),
                    {0.00990099009900969, 0.999999999091051, 0.999999999999945, 0.00497512437810943,
                     1, 0.999999999998133, 1, 0.00990099009900969, 0.999999996584565, 1,
                     0.999310081000622, 0.00990099009900969});
    }
    SECTION("a long length scale and much noise")
    {
        auto const process = observed_process(1.0, 0.1);
        check_close(process.mean(),
                    {-0.307422460081547, 0.375775521375554, 0.40685550372787, 0.889046966894378,
                     -0.0362401519211906, 0.29027825286607, 0.504961223709058, 0.425245225071646,
                     0.0840216539410596, 0.183365704985993, 0.587906009792217, 0.891320840984131});
        check_close(
            process.variance(),
            {0.0850897550680343, 0.0501421494261842, 0.0741029904543222, 0.041962602036442,
             0.112870618349622, 0.127639100190558, 0.137014564968971, 0.0780331541339099,
             0.0591836833565637, 0.0999572766179584, 0.059647543717242, 0.0478181190305251});
    }
}

TEST_CASE("before any observation the posterior is the prior")
{
    GaussianProcess const process{points(), prior(), 0.3, 0.01};
    CHECK((process.mean() == prior()).all());
    CHECK((process.variance() == 1.0).all());
}

// A single Gaussian variable of prior variance 1, measured n times with noise v: the posterior mean
// moves by n / (n + v) of the difference of the measurements' mean, the variance becomes v / (n +
// v).
TEST_CASE("the variance of repeated observations decreases as known")
{
    constexpr double noise = 0.25;
    GaussianProcess process{Eigen::MatrixXd::Zero(1, 3), Eigen::ArrayXd::Constant(1, 2.0), 0.1,
                            noise};
    double sum = 0;
    for (int n = 1; n <= 100; ++n) {
        double const value = 3.0 + n % 3;
        sum += value;
        process.observe(0, value);
        CHECK(process.mean()[0] == Approx(2.0 + n / (n + noise) * (sum / n - 2.0)).epsilon(1e-12));
        CHECK(process.variance()[0] == Approx(noise / (n + noise)).epsilon(1e-12));
    }
}

// With hardly any noise an observed candidate is known, and candidates at the same place with it.
TEST_CASE("observations without noise are interpolated")
{
    auto places = points();
    places.row(5) = places.row(2);
    GaussianProcess process{places, prior(), 0.3, 1e-12};
    process.observe(2, -4.0);
    process.observe(8, 9.0);
    CHECK(process.mean()[2] == Approx(-4.0).epsilon(1e-9));
    CHECK(process.mean()[8] == Approx(9.0).epsilon(1e-9));
    CHECK(process.mean()[5] - prior()[5] == Approx(-4.0 - prior()[2]).epsilon(1e-9));
    CHECK(process.variance()[5] == Approx(0).margin(1e-9));
    CHECK((process.variance() >= 0).all());
}

TEST_CASE("an observation far away changes nothing")
{
    Eigen::MatrixXd places(2, 1);
    places << 0, 1e6;
    GaussianProcess process{places, Eigen::ArrayXd::Zero(2), 0.03, 0.01};
    process.observe(0, 5.0);
    CHECK(process.mean()[1] == 0.0);
    CHECK(process.variance()[1] == 1.0);
}

TEST_CASE("infinite values and unknown candidates are refused")
{
    GaussianProcess process{points(), prior(), 0.3, 0.01};
    CHECK_THROWS_AS(process.observe(count, 0.0), ContractViolation);
    CHECK_THROWS_AS(process.observe(-1, 0.0), ContractViolation);
    CHECK_THROWS_AS(process.observe(0, std::nan("")), ContractViolation);
    CHECK_THROWS_AS((GaussianProcess{points(), prior(), 0.0, 0.01}), ContractViolation);
    CHECK_THROWS_AS((GaussianProcess{points(), prior(), 0.3, 0.0}), ContractViolation);
}

// An n x n covariance would take 800 MB and seconds per trial.
TEST_CASE("a trial with ten thousand candidates takes milliseconds")
{
    constexpr Eigen::Index many = 10'000;
    Stream stream{1, Purpose::test, Generation{0}};
    Eigen::MatrixXd const places =
        Eigen::MatrixXd::NullaryExpr(many, 4, [&] { return stream.uniform(); });
    GaussianProcess process{places, Eigen::ArrayXd::Zero(many), 0.03, 0.01};
    Stopwatch const watch;
    for (int trial = 0; trial < 30; ++trial) {
        process.observe(stream.below(many), stream.uniform());
    }
    CHECK(watch.seconds() / 30 < 0.05);
}

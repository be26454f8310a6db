#include "catch.hpp"
#include "mees/es/cma.hpp"

#include <array>
#include <limits>

using namespace mees;

namespace {

constexpr int dimensions = 3;
constexpr int population = 6;

using Parents = Eigen::Matrix3d;

/// The best three of six samples, the best first, of three generations.
std::array<Parents, 3> generations()
{
    std::array<Parents, 3> parents;
    parents[0] << 1.5, -0.5, 0.25, 0.5, 1, -1, 2, 0.75, 0.5;
    parents[1] << 2.5, 0.25, 0.5, 1.75, -0.25, 1.5, 1, 1.25, -0.75;
    parents[2] << 3, 1, 1.25, 2.25, -1, 0.25, 2.75, 0.5, -0.5;
    return parents;
}

void check_close(Eigen::VectorXd const& values, std::vector<double> const& expected)
{
    REQUIRE(values.size() == std::ssize(expected));
    for (Eigen::Index i = 0; i < values.size(); ++i) {
        CHECK(values[i] == Approx(expected[static_cast<std::size_t>(i)]).epsilon(1e-9));
    }
}

}  // namespace

// The numbers of this test and the next: pycma 4.5.0, cma.more_algorithms.purecma.CMAES, 3
// dimensions, sigma 0.8, population 6, with the damping of the tutorial and an eigendecomposition
// in each generation. Mean, sigma and path after the first generation are also those of pyribs
// 0.12.0, ribs.emitters.opt.CMAEvolutionStrategy and SeparableCMAEvolutionStrategy.
TEST_CASE("CMA-ES adapts as pycma and pyribs do")
{
    auto const rates = cma_rates(dimensions, population);
    REQUIRE(rates.weights.size() == 3);
    CHECK(rates.weights[0] == Approx(0.6370425712412168));
    CHECK(rates.weights[2] == Approx(0.07838717132075033));
    CHECK(rates.effective_parents == Approx(2.0286114646100617));
    CHECK(rates.step_path == Approx(0.40171179019414777));
    CHECK(rates.damping == Approx(1.4017117901941478));
    CHECK(rates.covariance_path == Approx(0.5598629786005055));
    CHECK(rates.rank_one == Approx(0.09747248265066792));
    CHECK(rates.rank_mu == Approx(0.038593139193450914));
    auto state = initial_cma(dimensions, 0.8);
    auto const parents = generations();
    state = adapted(rates, state, parents[0]);
    check_close(state.mean, {1.2546233282223425, 0.0248393503079873, -0.08611602896735357});
    CHECK(state.sigma == Approx(0.8084423061109836).epsilon(1e-12));
    check_close(state.step_path, {1.7898129512177625, 0.03543516996775612, -0.12285088319822668});
    state = adapted(rates, state, parents[1]);
    state = adapted(rates, state, parents[2]);
    CHECK(state.updates == 3);
    check_close(state.mean, {2.766975514091288, 0.391665899463559, 0.8282521927506541});
    CHECK(state.sigma == Approx(0.9885834187524098).epsilon(1e-9));
    check_close(state.step_path, {1.8412891949453951, 0.431660544583344, 0.7644359435487847});
    check_close(state.covariance_path,
                {1.842913845217958, 0.40107525402172395, 0.7050661926529039});
    check_close(state.covariance,
                {1.882133993848, 0.145823926697, 0.388457648489, 0.145823926697, 0.734207927034,
                 0.051575635811, 0.388457648489, 0.051575635811, 0.889437068661});
}

// The same pycma, with 5/3 of its rates of the covariance and all entries off its diagonal set to 0
// after each generation: that is sep-CMA-ES by definition.
TEST_CASE("separable CMA-ES adapts as pycma's with a diagonal covariance")
{
    auto const rates = separable_cma_rates(dimensions, population);
    CHECK(rates.rank_one == Approx(0.1624541377511132));
    CHECK(rates.rank_mu == Approx(0.06432189865575152));
    auto state = initial_separable_cma(dimensions, 0.8);
    Eigen::Vector3d mean{0, 0, 0};
    for (auto const& parents : generations()) {
        Eigen::Vector3d const scale = state.sigma * state.covariance.cwiseSqrt();
        Eigen::VectorXd steps = Eigen::VectorXd::Zero(dimensions);
        Eigen::VectorXd squares = Eigen::VectorXd::Zero(dimensions);
        for (int i = 0; i < 3; ++i) {
            Eigen::Vector3d const own = (parents.row(i).transpose() - mean).cwiseQuotient(scale);
            steps += rates.weights[static_cast<std::size_t>(i)] * own;
            squares += rates.weights[static_cast<std::size_t>(i)] * own.cwiseAbs2();
        }
        mean += scale.cwiseProduct(steps);
        state = adapted_separable(rates, state, steps, squares);
    }
    check_close(mean, {2.766975514091288, 0.391665899463559, 0.8282521927506541});
    CHECK(state.sigma == Approx(0.9667907146308521).epsilon(1e-9));
    check_close(state.step_path, {1.7455288155592361, 0.4752309212173143, 0.8616604936559399});
    check_close(state.covariance_path,
                {1.8555408938461837, 0.40541594703760675, 0.7080576143443327});
    check_close(state.covariance, {2.3195016157973622, 0.6037843811774538, 0.8373688028157442});
}

TEST_CASE("samples of CMA-ES have its covariance")
{
    auto state = initial_cma(2, 0.5);
    state.covariance = Eigen::Vector4d{4, 1, 1, 9};
    Eigen::Matrix2d const root = sampling_matrix(state);
    Eigen::Matrix2d const product = root * root.transpose();
    check_close(product.reshaped(), {4, 1, 1, 9});
}

TEST_CASE("a distribution that has collapsed, stretched or diverged is degenerate")
{
    auto const check_each = [](CmaState const& start, auto const& degenerate, auto const& stretch) {
        CHECK_FALSE(degenerate(start));
        auto narrow = start;
        narrow.sigma = 9e-12;
        CHECK(degenerate(narrow));
        auto diverged = start;
        diverged.sigma = std::numeric_limits<double>::infinity();
        CHECK(degenerate(diverged));
        auto stretched = start;
        stretch(stretched, 1e15);
        CHECK(degenerate(stretched));
        auto no_covariance = start;
        stretch(no_covariance, -1);
        CHECK(degenerate(no_covariance));
        auto not_a_number = start;
        stretch(not_a_number, std::numeric_limits<double>::quiet_NaN());
        CHECK(degenerate(not_a_number));
    };
    auto const last = [](CmaState& state, double value) {
        state.covariance[state.covariance.size() - 1] = value;
    };
    check_each(initial_cma(2, 0.5), &is_degenerate, last);
    check_each(initial_separable_cma(2, 0.5), &is_degenerate_separable, last);
}

#include "catch.hpp"
#include "mees/policy/activation.hpp"
#include "mees/policy/network.hpp"
#include "mees/policy/normaliser.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

using namespace mees;

TEST_CASE("parameter counts are the paper's")
{
    CHECK(NetworkShape{{27, 256, 256, 8}}.parameter_count() == 75'016);
    CHECK(NetworkShape{{29, 256, 256, 8}}.parameter_count() == 75'528);
    CHECK(NetworkShape{{376, 256, 256, 17}}.parameter_count() == 166'673);
}

// numpy: tanh(tanh(x @ W1 + b1) @ W2 + b2) in float64.
TEST_CASE("the forward pass is tanh(W x + b), layer by layer")
{
    std::array<float, 17> const parameters{0.5F, -1.F,  0.25F, 0.75F, 0.1F, -0.3F,
                                           0.1F, -0.2F, 0.05F, 1.F,   -.5F, .3F,
                                           .8F,  -.6F,  .2F,   .02F,  -.03F};
    std::array<float, 2> const inputs{0.4F, -1.2F};
    ForwardPass forward{NetworkShape{{2, 3, 2}}};
    forward.load(parameters);
    auto const outputs = forward(inputs);
    REQUIRE(outputs.size() == 2);
    CHECK(outputs[0] == Approx(-0.7548307608216823).epsilon(1e-6));
    CHECK(outputs[1] == Approx(-0.15963645197449333).epsilon(1e-6));
}

// numpy, one float32 operation after the other as the header says.
TEST_CASE("the forward pass gives these bits on any machine")
{
    NetworkShape const shape{{5, 19, 11, 3}};
    std::vector<float> parameters;
    for (std::int64_t i = 0; i < shape.parameter_count(); ++i) {
        auto const whole = static_cast<double>(i * 7919 % 2003 - 1001);
        parameters.push_back(static_cast<float>(whole / 2500));
    }
    std::array<float, 5> const inputs{0.3F, -1.7F, 2.5F, 0.01F, -4.F};
    ForwardPass forward{shape};
    forward.load(parameters);
    auto const outputs = forward(inputs);
    REQUIRE(outputs.size() == 3);
    CHECK(outputs[0] == 0x1.5899f2p-3F);
    CHECK(outputs[1] == 0x1.2192a8p-3F);
    CHECK(outputs[2] == 0x1.1a4a04p-1F);
}

TEST_CASE("layers of any width are summed from the bias on, input by input")
{
    NetworkShape const shape{{7, 130, 65, 9}};
    auto const theta = xavier_parameters(shape, Stream{3, Purpose::test, Generation{0}});
    std::vector<float> values{0.3F, -1.7F, 2.5F, 0.01F, -4.F, 0.F, 1.F};
    ForwardPass forward{shape};
    forward.load({theta.data(), static_cast<std::size_t>(theta.size())});
    auto const outputs = forward(values);
    float const* weights = theta.data();
    for (std::size_t layer = 1; layer < shape.layers().size(); ++layer) {
        auto const in = shape.layers()[layer - 1];
        auto const out = shape.layers()[layer];
        std::vector<float> sums(weights + in * out, weights + (in + 1) * out);
        for (std::int64_t i = 0; i < in; ++i) {
            for (std::int64_t j = 0; j < out; ++j) {
                sums[j] += weights[i * out + j] * values[i];
            }
        }
        apply_tanh(sums);
        values = sums;
        weights += (in + 1) * out;
    }
    CHECK(std::ranges::equal(outputs, values));
}

TEST_CASE("tanh is one, and goes no further than 1")
{
    std::vector<float> values;
    for (int i = -120'000; i <= 120'000; ++i) {
        values.push_back(static_cast<float>(i) * 1e-4F);
    }
    auto results = values;
    apply_tanh(results);
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        worst = std::max(worst, std::abs(results[i] - std::tanh(double{values[i]})));
    }
    CHECK(worst < 4e-7);
    CHECK(std::ranges::max(results) == 1.F);
    CHECK(std::ranges::min(results) == -1.F);
}

TEST_CASE("tanh of the smallest, the largest and of no number")
{
    constexpr auto infinity = std::numeric_limits<float>::infinity();
    std::array values{0.F,      1e-30F,    std::numeric_limits<float>::denorm_min(),
                      infinity, -infinity, std::numeric_limits<float>::quiet_NaN()};
    apply_tanh(values);
    CHECK(values[0] == 0.F);
    CHECK(values[1] == 1e-30F);
    CHECK(values[2] == std::numeric_limits<float>::denorm_min());
    CHECK(values[3] == 1.F);
    CHECK(values[4] == -1.F);
    CHECK(std::isnan(values[5]));
}

TEST_CASE("a forward pass does not depend on what ran before")
{
    NetworkShape const shape{{5, 16, 8, 3}};
    auto const a = normc_parameters(shape, Stream{1, Purpose::test, Generation{0}});
    auto const b = xavier_parameters(shape, Stream{2, Purpose::test, Generation{0}});
    auto const span = [](Eigen::VectorXf const& v) {
        return std::span<float const>{v.data(), static_cast<std::size_t>(v.size())};
    };
    std::array<float, 5> const x{1, -2, 3, -4, 5};
    ForwardPass fresh{shape};
    ForwardPass used{shape};
    used.load(span(a));
    (void)used(x);
    fresh.load(span(b));
    used.load(span(b));
    auto const first = fresh(x);
    auto const second = used(x);
    CHECK(std::ranges::equal(first, second));
}

TEST_CASE("normc: every unit's incoming weights have norm 0.01, biases are 0")
{
    NetworkShape const shape{{27, 64, 8}};
    auto const theta =
        normc_parameters(shape, Stream{1, Purpose::initial_parameters, Generation{0}});
    Eigen::Map<Eigen::Matrix<float, 27, 64, Eigen::RowMajor> const> const first{theta.data()};
    for (Eigen::Index unit = 0; unit < 64; ++unit) {
        CHECK(first.col(unit).norm() == Approx(0.01).epsilon(1e-5));
    }
    CHECK(theta.segment(27 * 64, 64).isZero(0));
    CHECK(theta.tail(8).isZero(0));
    // Directions are not all alike.
    CHECK(std::abs(first.col(0).dot(first.col(1))) < 0.9e-4F);
}

TEST_CASE("normc: the norm of hidden units can be chosen, that of outputs stays, as do directions")
{
    NetworkShape const shape{{27, 64, 8}};
    Stream const stream{1, Purpose::initial_parameters, Generation{0}};
    auto const paper = normc_parameters(shape, stream);
    auto const theta = normc_parameters(shape, stream, 1);
    auto const hidden = Eigen::Index{28} * 64;
    CHECK(theta.head(hidden).isApprox(100 * paper.head(hidden), 1e-5F));
    CHECK(theta.tail(theta.size() - hidden) == paper.tail(paper.size() - hidden));
}

TEST_CASE("xavier: uniform within sqrt(6 / (in + out)), biases 0")
{
    NetworkShape const shape{{100, 50}};
    auto const theta =
        xavier_parameters(shape, Stream{1, Purpose::initial_parameters, Generation{0}});
    auto const weights = theta.head(5000).array();
    CHECK(weights.abs().maxCoeff() <= 0.2F);
    CHECK(weights.abs().maxCoeff() > 0.199F);
    // Variance of U(-0.2, 0.2) is 0.04 / 3.
    CHECK(weights.square().mean() == Approx(0.04 / 3).epsilon(0.05));
    CHECK(theta.tail(50).isZero(0));
}

// numpy, from the definition: (prior + sum) / count, sqrt(max(E[x^2] - mean^2, 0.01)).
TEST_CASE("the normaliser follows from count, sum and sum of squares")
{
    auto moments = ObservationMoments::prior(2);
    for (auto const& row : {std::array{1.0, -2.0}, std::array{3.0, 0.5}, std::array{0.0, 0.25}}) {
        moments.add(row);
    }
    auto const normaliser = moments.normaliser();
    CHECK(normaliser.mean[0] == Approx(1.3289036544850499).epsilon(1e-14));
    CHECK(normaliser.mean[1] == Approx(-0.41528239202657813).epsilon(1e-14));
    CHECK(normaliser.std[0] == Approx(1.2488380489259272).epsilon(1e-14));
    CHECK(normaliser.std[1] == Approx(1.124093877974874).epsilon(1e-14));

    std::array<float, 2> inputs{};
    normaliser.apply(std::array{1.0, -2.0}, inputs, 0);
    CHECK(inputs[1] == Approx((-2.0 + 0.41528239202657813) / 1.124093877974874));
    normaliser.apply(std::array{1.0, -2.0}, inputs, 0.5);
    CHECK(inputs[1] == -0.5F);
}

TEST_CASE("before anything was seen the normaliser is mean 0, deviation 1; constants get the floor")
{
    auto moments = ObservationMoments::prior(1);
    CHECK(moments.normaliser().mean[0] == 0);
    CHECK(moments.normaliser().std[0] == 1);
    for (int i = 0; i < 1000; ++i) {
        moments.add(std::array{5.0});
    }
    CHECK(moments.normaliser().std[0] == Approx(0.1).epsilon(1e-9));
}

TEST_CASE("merging moments adds them")
{
    auto all = ObservationMoments::prior(1);
    auto part = ObservationMoments::none(1);
    for (double const x : {1.0, 2.0, 4.0}) {
        all.add(std::array{x});
        part.add(std::array{x});
    }
    auto merged = ObservationMoments::prior(1);
    merged.merge(part);
    CHECK(merged.normaliser().mean[0] == Approx(all.normaliser().mean[0]).epsilon(1e-14));
    CHECK(merged.normaliser().std[0] == Approx(all.normaliser().std[0]).epsilon(1e-14));
}

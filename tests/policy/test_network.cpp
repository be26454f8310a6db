#include "catch.hpp"
#include "mees/policy/activation.hpp"
#include "mees/policy/network.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
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

// 0 * w is -0 for a negative w, and -0 + 0 is 0.
TEST_CASE("inputs that are zero count like all others")
{
    constexpr float inf = std::numeric_limits<float>::infinity();
    NetworkShape const shape{{3, 2}, OutputActivation::linear};
    std::vector<std::array<float, 8>> const cases{{1, -2, 3, 4, 5, -6, 0.25F, -7},
                                                  {1, -2, 3, 4, 5, -6, -0.F, -0.F},
                                                  {-1, -2, -3, -4, -5, -6, -0.F, 0},
                                                  {1, -2, inf, 4, 5, -6, 0, 0}};
    ForwardPass forward{shape};
    for (auto const& parameters : cases) {
        forward.load(parameters);
        for (auto const& inputs : {std::array{0.F, 0.F, 0.F}, std::array{0.F, -0.F, 0.5F},
                                   std::array{-0.F, -0.F, -0.F}, std::array{2.F, 3.F, 4.F}}) {
            auto const outputs = forward(inputs);
            for (std::size_t unit = 0; unit < 2; ++unit) {
                float sum = parameters[6 + unit];
                for (std::size_t i = 0; i < 3; ++i) {
                    sum += parameters[2 * i + unit] * inputs[i];
                }
                CHECK(std::isnan(outputs[unit]) == std::isnan(sum));
                if (!std::isnan(sum)) {
                    CHECK(std::bit_cast<std::uint32_t>(outputs[unit])
                          == std::bit_cast<std::uint32_t>(sum));
                }
            }
        }
    }
}

TEST_CASE("parameters that are computed part by part are asked for from first to last")
{
    NetworkShape const shape{{5, 130, 70, 3}};
    auto const theta = xavier_parameters(shape, Stream{2, Purpose::test, Generation{0}});
    ForwardPass whole{shape};
    whole.load({theta.data(), static_cast<std::size_t>(theta.size())});
    ForwardPass parts{shape};
    std::int64_t next = 0;
    parts.load([&](std::int64_t first, std::span<float> part) {
        CHECK(first == next);
        next = first + std::ssize(part);
        std::copy_n(theta.data() + first, part.size(), part.data());
    });
    CHECK(next == shape.parameter_count());
    std::array<float, 5> const x{1, -2, 3, 0, 5};
    auto const outputs = whole(x);
    CHECK(std::ranges::equal(parts(x), outputs));
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

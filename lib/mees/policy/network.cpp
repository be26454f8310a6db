#include "mees/policy/network.hpp"

#include "mees/core/error.hpp"
#include "mees/policy/activation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace mees {
namespace {

constexpr std::int64_t vector_size = 8;               // floats
constexpr std::int64_t strip_size = 8 * vector_size;  // outputs whose sums fit the registers
constexpr std::int64_t floats_ahead = 256;

using EightFloats = float __attribute__((vector_size(32)));

using WeightsMap =
    Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

std::int64_t count_parameters(std::vector<std::int64_t> const& layers)
{
    std::int64_t count = 0;
    for (std::size_t i = 1; i < layers.size(); ++i) {
        count += (layers[i - 1] + 1) * layers[i];
    }
    return count;
}

EightFloats eight_floats(float const* values)
{
    EightFloats result;
    std::memcpy(&result, values, sizeof result);
    return result;
}

std::int64_t padded(std::int64_t outputs)
{
    return (outputs + vector_size - 1) / vector_size * vector_size;
}

/// Calls `action(first, width)` for each strip of a layer's outputs.
template <class Action>
void for_each_strip(std::int64_t outputs, Action const& action)
{
    for (std::int64_t first = 0; first < outputs; first += strip_size) {
        action(first, std::min(strip_size, outputs - first));
    }
}

/// Sums one strip of a layer: its biases, then a row of weights for each input, one after the other
/// at `packed`. Returns where the next strip begins.
///
/// A large network's weights come from far in the caches at every step: they lie in the order of
/// their use, and are prefetched.
template <int vectors>
float const* sum_strip(float const* __restrict packed, std::span<float const> inputs,
                       float* __restrict result)
{
    std::array<EightFloats, vectors> sums;
    for (int i = 0; i < vectors; ++i) {
        sums[i] = eight_floats(packed + i * vector_size);
    }
    packed += vectors * vector_size;
    for (float const input : inputs) {
        for (int i = 0; i < vectors; i += 2) {
            __builtin_prefetch(packed + floats_ahead + i * vector_size);
        }
#pragma GCC unroll 8
        for (int i = 0; i < vectors; ++i) {
            sums[i] += eight_floats(packed + i * vector_size) * input;
        }
        packed += vectors * vector_size;
    }
    std::memcpy(result, sums.data(), sizeof sums);
    return packed;
}

using SumStrip = float const* (*)(float const*, std::span<float const>, float*);
constexpr std::array<SumStrip, 8> sum_strips{sum_strip<1>, sum_strip<2>, sum_strip<3>,
                                             sum_strip<4>, sum_strip<5>, sum_strip<6>,
                                             sum_strip<7>, sum_strip<8>};

template <class FillWeights>
Eigen::VectorXf initialised(NetworkShape const& shape, FillWeights const& fill)
{
    Eigen::VectorXf parameters = Eigen::VectorXf::Zero(shape.parameter_count());
    float* position = parameters.data();
    for (std::size_t i = 1; i < shape.layers().size(); ++i) {
        auto const in = shape.layers()[i - 1];
        auto const out = shape.layers()[i];
        bool const hidden = i + 1 < shape.layers().size();
        fill(WeightsMap{position, in, out}, hidden);
        position += (in + 1) * out;
    }
    return parameters;
}

}  // namespace

NetworkShape::NetworkShape(std::vector<std::int64_t> layers, OutputActivation output)
    : layers_{std::move(layers)}, parameter_count_{count_parameters(layers_)}, output_{output}
{
    expects(layers_.size() >= 2, "a network has inputs and outputs");
    expects(std::ranges::all_of(layers_, [](auto n) { return n > 0; }), "layer sizes are positive");
}

ForwardPass::ForwardPass(NetworkShape shape) : shape_{std::move(shape)}
{
    auto const& layers = shape_.layers();
    std::int64_t floats = 0;
    for (std::size_t i = 1; i < layers.size(); ++i) {
        floats += (layers[i - 1] + 1) * padded(layers[i]);
    }
    constexpr auto line = static_cast<std::int64_t>(std::tuple_size_v<decltype(CacheLine::values)>);
    packed_.resize(static_cast<std::size_t>((floats + line - 1) / line));
    auto const widest = static_cast<std::size_t>(padded(*std::ranges::max_element(layers)));
    current_.resize(widest);
    next_.resize(widest);
}

void ForwardPass::load(std::span<float const> parameters)
{
    expects(std::ssize(parameters) == shape_.parameter_count(), "parameters of this network");
    float const* weights = parameters.data();
    float* position = packed_.front().values.data();
    auto const take = [&](float const* values, std::int64_t width) {
        position = std::copy_n(values, width, position);
        position = std::fill_n(position, padded(width) - width, 0.F);
    };
    for (std::size_t layer = 1; layer < shape_.layers().size(); ++layer) {
        auto const in = shape_.layers()[layer - 1];
        auto const out = shape_.layers()[layer];
        float const* const biases = weights + in * out;
        for_each_strip(out, [&](std::int64_t first, std::int64_t width) {
            take(biases + first, width);
            for (std::int64_t i = 0; i < in; ++i) {
                take(weights + i * out + first, width);
            }
        });
        weights = biases + out;
    }
}

std::span<float const> ForwardPass::operator()(std::span<float const> inputs)
{
    std::ranges::copy(inputs, current_.begin());
    float const* packed = packed_.front().values.data();
    for (std::size_t layer = 1; layer < shape_.layers().size(); ++layer) {
        std::span<float const> const in{current_.data(),
                                        static_cast<std::size_t>(shape_.layers()[layer - 1])};
        auto const out = shape_.layers()[layer];
        for_each_strip(out, [&](std::int64_t first, std::int64_t width) {
            auto const vectors = static_cast<std::size_t>(padded(width) / vector_size);
            packed = sum_strips[vectors - 1](packed, in, next_.data() + first);
        });
        if (layer + 1 < shape_.layers().size() || shape_.output() == OutputActivation::tanh) {
            apply_tanh({next_.data(), static_cast<std::size_t>(padded(out))});
        }
        current_.swap(next_);
    }
    return {current_.data(), static_cast<std::size_t>(shape_.outputs())};
}

Eigen::VectorXf normc_parameters(NetworkShape const& shape, Stream stream, double hidden_norm)
{
    constexpr double output_norm = 0.01;
    return initialised(shape, [&](WeightsMap weights, bool hidden) {
        double const norm = hidden ? hidden_norm : output_norm;
        Eigen::MatrixXd draws(weights.rows(), weights.cols());
        for (Eigen::Index row = 0; row < draws.rows(); ++row) {
            for (Eigen::Index column = 0; column < draws.cols(); ++column) {
                draws(row, column) = stream.normal();
            }
        }
        weights = (draws.array().rowwise() * (norm / draws.array().square().colwise().sum().sqrt()))
                      .cast<float>();
    });
}

Eigen::VectorXf xavier_parameters(NetworkShape const& shape, Stream stream)
{
    return initialised(shape, [&](WeightsMap weights, bool) {
        double const limit = std::sqrt(6.0 / static_cast<double>(weights.rows() + weights.cols()));
        for (Eigen::Index row = 0; row < weights.rows(); ++row) {
            for (Eigen::Index column = 0; column < weights.cols(); ++column) {
                weights(row, column) = static_cast<float>(stream.uniform(-limit, limit));
            }
        }
    });
}

}  // namespace mees

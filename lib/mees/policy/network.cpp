#include "mees/policy/network.hpp"

#include "mees/core/error.hpp"
#include "mees/policy/activation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace mees {
namespace {

constexpr int rows_at_once = 4;
constexpr int rows_ahead = 4;
constexpr std::int64_t half_line = 8;  // floats in half a cache line

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

/// result[j] += weights[i][j] * inputs[i] for i = 0, 1, ... `rows` - 1. How many rows are taken at
/// a time changes the speed only: every result is summed in the order of the inputs.
///
/// A large network's weights come from memory, or from far in the caches, at every step: they are
/// asked for a few rows ahead of their use.
template <int rows>
void add_rows(float const* __restrict weights, float const* inputs, float* __restrict result,
              std::int64_t outputs)
{
    std::int64_t j = 0;
    for (; j + 2 * half_line <= outputs; j += 2 * half_line) {
        for (int i = 0; i < rows; ++i) {
            __builtin_prefetch(weights + (i + rows_ahead) * outputs + j);
        }
        auto low = eight_floats(result + j);
        auto high = eight_floats(result + j + half_line);
#pragma GCC unroll 4
        for (int i = 0; i < rows; ++i) {
            auto const* const row = weights + i * outputs + j;
            low += eight_floats(row) * inputs[i];
            high += eight_floats(row + half_line) * inputs[i];
        }
        std::memcpy(result + j, &low, sizeof low);
        std::memcpy(result + j + half_line, &high, sizeof high);
    }
    for (; j < outputs; ++j) {
        for (int i = 0; i < rows; ++i) {
            result[j] += weights[i * outputs + j] * inputs[i];
        }
    }
}

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

NetworkShape::NetworkShape(std::vector<std::int64_t> layers)
    : layers_{std::move(layers)}, parameter_count_{count_parameters(layers_)}
{
    expects(layers_.size() >= 2, "a network has inputs and outputs");
    expects(std::ranges::all_of(layers_, [](auto n) { return n > 0; }), "layer sizes are positive");
}

ForwardPass::ForwardPass(NetworkShape shape) : shape_{std::move(shape)}
{
    auto const widest = static_cast<std::size_t>(*std::ranges::max_element(shape_.layers()));
    current_.resize(widest);
    next_.resize(widest);
}

std::span<float const> ForwardPass::operator()(std::span<float const> parameters,
                                               std::span<float const> inputs)
{
    std::ranges::copy(inputs, current_.begin());
    float const* weights = parameters.data();
    for (std::size_t layer = 1; layer < shape_.layers().size(); ++layer) {
        auto const in = shape_.layers()[layer - 1];
        auto const out = shape_.layers()[layer];
        float const* const biases = weights + in * out;
        std::copy(biases, biases + out, next_.begin());
        std::int64_t i = 0;
        for (; i + rows_at_once <= in; i += rows_at_once) {
            add_rows<rows_at_once>(weights + i * out, &current_[i], next_.data(), out);
        }
        for (; i < in; ++i) {
            add_rows<1>(weights + i * out, &current_[i], next_.data(), out);
        }
        apply_tanh({next_.data(), static_cast<std::size_t>(out)});
        current_.swap(next_);
        weights = biases + out;
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

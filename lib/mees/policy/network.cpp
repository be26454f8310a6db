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
/// at `packed`.
///
/// A large network's weights come from far in the caches at every step: they lie in the order of
/// their use, and are prefetched.
template <int vectors>
void sum_strip(float const* __restrict packed, std::span<float const> inputs,
               std::int32_t const* rows, float* __restrict result)
{
    constexpr std::int64_t width = vectors * vector_size;
    std::array<EightFloats, vectors> sums;
    for (int i = 0; i < vectors; ++i) {
        sums[i] = eight_floats(packed + i * vector_size);
    }
    auto const add = [&](float const* weights, float input) {
        for (int i = 0; i < vectors; i += 2) {
            __builtin_prefetch(weights + floats_ahead + i * vector_size);
        }
#pragma GCC unroll 8
        for (int i = 0; i < vectors; ++i) {
            sums[i] += eight_floats(weights + i * vector_size) * input;
        }
    };
    packed += width;
    if (rows == nullptr) {
        for (float const input : inputs) {
            add(packed, input);
            packed += width;
        }
    } else {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            add(packed + rows[i] * width, inputs[i]);
        }
    }
    std::memcpy(result, sums.data(), sizeof sums);
}

using SumStrip = void (*)(float const*, std::span<float const>, std::int32_t const*, float*);
constexpr std::array<SumStrip, 8> sum_strips{sum_strip<1>, sum_strip<2>, sum_strip<3>,
                                             sum_strip<4>, sum_strip<5>, sum_strip<6>,
                                             sum_strip<7>, sum_strip<8>};

/// Adds products with 0 to `sums`, which stay 0 if all values are finite.
void add_products_with_zero(std::span<float const> padded_values, std::array<EightFloats, 2>& sums)
{
    auto [even, odd] = sums;
    std::size_t i = 0;
    for (; i + 2 * vector_size <= padded_values.size(); i += 2 * vector_size) {
        even += eight_floats(padded_values.data() + i) * 0.F;
        odd += eight_floats(padded_values.data() + i + vector_size) * 0.F;
    }
    if (i < padded_values.size()) {
        even += eight_floats(padded_values.data() + i) * 0.F;
    }
    sums = {even, odd};
}

bool all_zero(std::array<EightFloats, 2> const& sums)
{
    bool zero = true;
    for (int i = 0; i < vector_size; ++i) {
        zero = zero && sums[0][i] == 0 && sums[1][i] == 0;
    }
    return zero;
}

bool is_negative_zero(float value)
{
    return value == 0 && std::signbit(value);
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
    values_.resize(static_cast<std::size_t>(layers.front()));
    rows_.resize(values_.size());
}

void ForwardPass::load(std::span<float const> parameters)
{
    expects(std::ssize(parameters) == shape_.parameter_count(), "parameters of this network");
    load([&](std::int64_t first, std::span<float> part) {
        std::copy_n(parameters.data() + first, part.size(), part.data());
    });
}

/// Writes the parameters in their own order, each row to all strips: whoever computes them reads
/// its operands from beginning to end, which come from memory and are fetched ahead that way.
void ForwardPass::load(WriteParameters const& write)
{
    std::int64_t next = 0;  // among the parameters
    float* layer_begin = packed_.front().values.data();
    std::array<EightFloats, 2> products{};
    bool negative_zero = false;
    for (std::size_t layer = 1; layer < shape_.layers().size(); ++layer) {
        auto const in = shape_.layers()[layer - 1];
        auto const out = shape_.layers()[layer];
        for (std::int64_t row = 0; row <= in; ++row) {
            bool const biases = row == in;  // the last row, and the first of a strip
            float* strip = layer_begin;
            for_each_strip(out, [&](std::int64_t, std::int64_t width) {
                std::span const part{strip + (biases ? 0 : row + 1) * padded(width),
                                     static_cast<std::size_t>(padded(width))};
                write(next, part.first(static_cast<std::size_t>(width)));
                std::ranges::fill(part.subspan(static_cast<std::size_t>(width)), 0.F);
                if (layer == 1) {
                    add_products_with_zero(part, products);
                    negative_zero =
                        negative_zero || (biases && std::ranges::any_of(part, is_negative_zero));
                }
                next += width;
                strip += (in + 1) * padded(width);
            });
        }
        layer_begin += (in + 1) * padded(out);
    }
    may_skip_zeros_ = all_zero(products) && !negative_zero;
}

/// The inputs of the network without those that are zero; many of a humanoid's are. A product with
/// zero changes no sum, unless the weight is not finite or the sum is -0, which it can be only if
/// its bias is.
ForwardPass::Inputs ForwardPass::without_zeros(std::span<float const> inputs)
{
    if (!may_skip_zeros_) {
        return {inputs, {}};
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        values_[count] = inputs[i];
        rows_[count] = static_cast<std::int32_t>(i);
        count += inputs[i] != 0 ? 1 : 0;
    }
    if (count == inputs.size()) {
        return {inputs, {}};
    }
    return {std::span{values_}.first(count), std::span{rows_}.first(count)};
}

std::span<float const> ForwardPass::operator()(std::span<float const> inputs)
{
    expects(std::ssize(inputs) == shape_.inputs(), "as many inputs as the network has");
    auto needed = without_zeros(inputs);
    float const* packed = packed_.front().values.data();
    for (std::size_t layer = 1; layer < shape_.layers().size(); ++layer) {
        auto const in = shape_.layers()[layer - 1];
        auto const out = shape_.layers()[layer];
        for_each_strip(out, [&](std::int64_t first, std::int64_t width) {
            auto const vectors = static_cast<std::size_t>(padded(width) / vector_size);
            sum_strips[vectors - 1](packed, needed.values, needed.rows.data(),
                                    next_.data() + first);
            packed += (in + 1) * padded(width);
        });
        if (layer + 1 < shape_.layers().size() || shape_.output() == OutputActivation::tanh) {
            apply_tanh({next_.data(), static_cast<std::size_t>(padded(out))});
        }
        current_.swap(next_);
        needed = {{current_.data(), static_cast<std::size_t>(out)}, {}};
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

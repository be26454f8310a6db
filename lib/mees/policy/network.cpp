#include "mees/policy/network.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mees {
namespace {

using WeightsMap =
    Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using ConstWeightsMap =
    Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> const>;

std::int64_t count_parameters(std::vector<std::int64_t> const& layers)
{
    std::int64_t count = 0;
    for (std::size_t i = 1; i < layers.size(); ++i) {
        count += (layers[i - 1] + 1) * layers[i];
    }
    return count;
}

template <class FillWeights>
Eigen::VectorXf initialised(NetworkShape const& shape, FillWeights const& fill)
{
    Eigen::VectorXf parameters = Eigen::VectorXf::Zero(shape.parameter_count());
    float* position = parameters.data();
    for (std::size_t i = 1; i < shape.layers().size(); ++i) {
        auto const in = shape.layers()[i - 1];
        auto const out = shape.layers()[i];
        fill(WeightsMap{position, in, out});
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
    auto const widest = *std::ranges::max_element(shape_.layers());
    current_.resize(widest);
    next_.resize(widest);
}

std::span<float const> ForwardPass::operator()(std::span<float const> parameters,
                                               std::span<float const> inputs)
{
    std::ranges::copy(inputs, current_.data());
    float const* position = parameters.data();
    for (std::size_t i = 1; i < shape_.layers().size(); ++i) {
        auto const in = shape_.layers()[i - 1];
        auto const out = shape_.layers()[i];
        ConstWeightsMap const weights{position, in, out};
        Eigen::Map<Eigen::VectorXf const> const biases{position + in * out, out};
        auto result = next_.head(out);
        result = biases;
        result.noalias() += weights.transpose() * current_.head(in);
        result = result.array().tanh();
        current_.swap(next_);
        position += (in + 1) * out;
    }
    return {current_.data(), static_cast<std::size_t>(shape_.outputs())};
}

Eigen::VectorXf normc_parameters(NetworkShape const& shape, Stream stream)
{
    constexpr double norm = 0.01;
    return initialised(shape, [&](WeightsMap weights) {
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
    return initialised(shape, [&](WeightsMap weights) {
        double const limit = std::sqrt(6.0 / static_cast<double>(weights.rows() + weights.cols()));
        for (Eigen::Index row = 0; row < weights.rows(); ++row) {
            for (Eigen::Index column = 0; column < weights.cols(); ++column) {
                weights(row, column) = static_cast<float>(stream.uniform(-limit, limit));
            }
        }
    });
}

}  // namespace mees

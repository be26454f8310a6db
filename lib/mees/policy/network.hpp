#pragma once

#include "mees/config/choices.hpp"
#include "mees/core/stream.hpp"

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mees {

/// Sizes of a fully connected network, inputs first, and the activation of its last layer; tanh
/// follows every other one. Parameters are one flat float32 vector: per layer the weights
/// W[in][out] row-major, then the biases.
class NetworkShape {
  public:
    explicit NetworkShape(std::vector<std::int64_t> layers,
                          OutputActivation output = OutputActivation::tanh);

    [[nodiscard]] std::vector<std::int64_t> const& layers() const { return layers_; }
    [[nodiscard]] std::int64_t inputs() const { return layers_.front(); }
    [[nodiscard]] std::int64_t outputs() const { return layers_.back(); }
    [[nodiscard]] std::int64_t parameter_count() const { return parameter_count_; }
    [[nodiscard]] OutputActivation output() const { return output_; }

    friend bool operator==(NetworkShape const&, NetworkShape const&) = default;

  private:
    std::vector<std::int64_t> layers_;
    std::int64_t parameter_count_;
    OutputActivation output_;
};

/// Evaluates a network: tanh (see apply_tanh) after every layer, the last one as its shape says.
/// Owns scratch space, so one per thread; allocates nothing after construction.
///
/// A unit's sum starts at its bias and takes its inputs in their order, each product and each sum
/// rounded to float: the same bits on any machine, and from any program that does the same.
class ForwardPass {
  public:
    explicit ForwardPass(NetworkShape shape);

    /// Writes the parameters from `first` on to `part`.
    using WriteParameters = std::function<void(std::int64_t first, std::span<float> part)>;

    /// Takes the parameters for the calls that follow, in the order in which these use them.
    void load(std::span<float const> parameters);
    /// The same with parameters that are computed part by part, in their order.
    void load(WriteParameters const& write);
    /// The returned span is valid until the next call.
    [[nodiscard]] std::span<float const> operator()(std::span<float const> inputs);

  private:
    struct alignas(64) CacheLine {
        std::array<float, 16> values;
    };

    /// Inputs of a layer that its sums need.
    struct Inputs {
        std::span<float const> values;
        std::span<std::int32_t const> rows;  ///< of weights, one for each; empty: all, in order
    };

    [[nodiscard]] Inputs without_zeros(std::span<float const> inputs);

    NetworkShape shape_;
    std::vector<CacheLine> packed_;
    bool may_skip_zeros_{false};
    std::vector<float> values_;
    std::vector<std::int32_t> rows_;
    std::vector<float> current_;
    std::vector<float> next_;
};

/// Each unit's incoming weights are N(0,1) draws scaled to norm 0.01 (in the hidden layers to
/// `hidden_norm`), biases 0 ("normc").
[[nodiscard]] Eigen::VectorXf normc_parameters(NetworkShape const& shape, Stream stream,
                                               double hidden_norm = 0.01);
/// Weights uniform in +-sqrt(6 / (in + out)), biases 0 (Glorot and Bengio 2010).
[[nodiscard]] Eigen::VectorXf xavier_parameters(NetworkShape const& shape, Stream stream);

}  // namespace mees

#pragma once

#include "mees/config/choices.hpp"

#include <Eigen/Core>

#include <cstdint>

namespace mees {

struct OptimiserSettings {
    OptimiserKind kind{OptimiserKind::adam};
    double learning_rate{0.01};
    double l2{0.005};
    double beta1{0.9};
    double beta2{0.999};
    double epsilon{1e-8};
};

/// What an optimiser keeps between steps; empty moments mean zeros (SGD has none).
struct OptimiserState {
    std::int64_t steps{0};
    Eigen::VectorXf first_moment;
    Eigen::VectorXf second_moment;
};

/// Parameters after one step uphill along `ascent`: the optimiser minimises -ascent + l2 * theta.
/// Adam (Kingma and Ba 2015): theta -= lr sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + eps).
[[nodiscard]] Eigen::VectorXf optimiser_step(OptimiserSettings const& settings,
                                             OptimiserState& state, Eigen::VectorXf const& theta,
                                             Eigen::VectorXf const& ascent);

}  // namespace mees

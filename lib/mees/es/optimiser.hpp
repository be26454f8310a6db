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
    double speed_limit{0.02};  ///< clipup
};

/// What an optimiser keeps between steps; empty moments mean zeros (SGD has none).
struct OptimiserState {
    std::int64_t steps{0};
    Eigen::VectorXf first_moment;
    Eigen::VectorXf second_moment;
};

/// Parameters after one step uphill along `ascent`: the optimiser minimises -ascent + l2 * theta.
/// Adam (Kingma and Ba 2015): theta -= lr sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + eps).
/// ClipUp (Toklu, Liskowski and Srivastava 2020), with g = ascent - l2 * theta:
/// v <- 0.9 v + lr g / |g|, scaled down to |v| = speed_limit where it is longer; theta += v.
[[nodiscard]] Eigen::VectorXf optimiser_step(OptimiserSettings const& settings,
                                             OptimiserState& state, Eigen::VectorXf const& theta,
                                             Eigen::VectorXf const& ascent);

/// max(limit, start * decay^steps).
[[nodiscard]] double decayed(double start, double decay, double limit, std::int64_t steps);

}  // namespace mees

#include "mees/es/optimiser.hpp"

#include "mees/core/error.hpp"
#include "mees/core/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace mees {

namespace {

double norm(Eigen::VectorXf const& values)
{
    return std::sqrt(sum_of_squares(values));
}

Eigen::VectorXf adam_step(OptimiserSettings const& settings, OptimiserState& state,
                          Eigen::VectorXf const& theta, Eigen::ArrayXf const& descent)
{
    if (state.first_moment.size() == 0) {
        state.first_moment = Eigen::VectorXf::Zero(theta.size());
        state.second_moment = Eigen::VectorXf::Zero(theta.size());
    }
    auto const beta1 = static_cast<float>(settings.beta1);
    auto const beta2 = static_cast<float>(settings.beta2);
    auto m = state.first_moment.array();
    auto v = state.second_moment.array();
    m = beta1 * m + static_cast<float>(1.0 - settings.beta1) * descent;
    v = beta2 * v + static_cast<float>(1.0 - settings.beta2) * descent.square();
    auto const t = static_cast<double>(state.steps);
    auto const rate =
        static_cast<float>(settings.learning_rate * std::sqrt(1.0 - std::pow(settings.beta2, t))
                           / (1.0 - std::pow(settings.beta1, t)));
    return theta.array() - rate * m / (v.sqrt() + static_cast<float>(settings.epsilon));
}

Eigen::VectorXf clipup_step(OptimiserSettings const& settings, OptimiserState& state,
                            Eigen::VectorXf const& theta, Eigen::ArrayXf const& descent)
{
    if (state.first_moment.size() == 0) {
        state.first_moment = Eigen::VectorXf::Zero(theta.size());
    }
    auto& velocity = state.first_moment;
    velocity *= static_cast<float>(settings.beta1);
    if (double const length = norm(descent.matrix()); length > 0) {
        velocity -= (static_cast<float>(settings.learning_rate / length) * descent).matrix();
    }
    if (double const speed = norm(velocity); speed > settings.speed_limit) {
        velocity *= static_cast<float>(settings.speed_limit / speed);
    }
    return theta + velocity;
}

}  // namespace

Eigen::VectorXf optimiser_step(OptimiserSettings const& settings, OptimiserState& state,
                               Eigen::VectorXf const& theta, Eigen::VectorXf const& ascent)
{
    expects(theta.size() == ascent.size(), "a gradient of the parameters' size");
    auto const l2 = static_cast<float>(settings.l2);
    Eigen::ArrayXf const descent = l2 * theta.array() - ascent.array();
    ++state.steps;
    switch (settings.kind) {
        case OptimiserKind::adam:
            return adam_step(settings, state, theta, descent);
        case OptimiserKind::sgd:
            return theta.array() - static_cast<float>(settings.learning_rate) * descent;
        case OptimiserKind::clipup:
            return clipup_step(settings, state, theta, descent);
    }
    contract_violated("a known optimiser");
}

double decayed(double start, double decay, double limit, std::int64_t steps)
{
    return std::max(limit, start * std::pow(decay, static_cast<double>(steps)));
}

}  // namespace mees

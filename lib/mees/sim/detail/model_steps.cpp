#include "mees/sim/detail/model_steps.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <cmath>

namespace mees {

#if mjVERSION_HEADER >= 3014000

namespace {

/// Farther away, not even the floor's box is without limits.
constexpr double farthest = 1e6;  // metres

}  // namespace

StageWays ways_in_runge_kutta(mjModel const& model, mjData const& data,
                              std::span<mjtNum const, 3> position,
                              std::span<mjtNum const, 3> velocity)
{
    double const h = model.opt.timestep;
    auto const* const last = data.xpos + 3 * model.jnt_bodyid[0];
    StageWays ways{};
    for (std::size_t i = 0; i < 3; ++i) {
        double const v1 = velocity[i];
        double const v3 = (last[i] - position[i]) / h;
        double const twice_v2_and_v4 = 6 * (data.qpos[i] - position[i]) / h - v1 - 2 * v3;
        double const a1_and_twice_a2_a3 = 6 * (data.qvel[i] - v1) / h - data.qacc[i];
        double const v2_and_v4 = 2 * v1 + 0.5 * h * a1_and_twice_a2_a3 - 2 * (v3 - v1);
        ways[0][i] = 0.5 * h * v1;
        ways[1][i] = 0.5 * h * (twice_v2_and_v4 - v2_and_v4);
        ways[2][i] = h * v3;
    }
    return ways;
}

ModelSteps::ModelSteps(mjModel const& model, mjModel const* open) : model_{&model}, open_{open}
{
    if (open_ != nullptr) {
        walls_ = Walls::of(model);
        expects(walls_.has_value(), "a model with walls");
        state_.resize(static_cast<std::size_t>(mj_stateSize(&model, mjSTATE_INTEGRATION)));
    }
}

void ModelSteps::remember(mjData const& data)
{
    mj_getState(model_, &data, state_.data(), mjSTATE_INTEGRATION);
    std::copy_n(data.qpos, 3, position_.begin());
    std::copy_n(data.qvel, 3, velocity_.begin());
    std::copy_n(data.warning, mjNWARNING, warnings_.begin());
}

void ModelSteps::restore(mjData& data) const
{
    mj_setState(model_, &data, state_.data(), mjSTATE_INTEGRATION);
    std::ranges::copy(warnings_, data.warning);
}

bool ModelSteps::stayed_within(double distance, mjData const& data) const
{
    if (model_->opt.integrator != mjINT_RK4) {
        return true;  // it looks for contacts once, before the robot moves
    }
    auto const ways = ways_in_runge_kutta(*model_, data, position_, velocity_);
    return std::ranges::all_of(
        ways, [&](auto const& way) { return std::hypot(way[0], way[1], way[2]) < distance; });
}

void ModelSteps::step(mjData& data)
{
    double const clearance = walls_ ? walls_->clearance(data.qpos) : -1;
    if (!(clearance > 0 && clearance < farthest)) {
        mj_step(model_, &data);
        return;
    }
    remember(data);
    mj_step(open_, &data);
    bool const unwarned =
        std::ranges::all_of(data.warning, [](auto const& warning) { return warning.number == 0; });
    if (unwarned && stayed_within(clearance, data)) {
        ++open_steps_;
    } else {
        restore(data);
        mj_step(model_, &data);
    }
}

#else

ModelSteps::ModelSteps(mjModel const& model, mjModel const*) : model_{&model}, open_{nullptr} {}

void ModelSteps::step(mjData& data)
{
    mj_step(model_, &data);
}

#endif

}  // namespace mees

#pragma once

#include "mees/sim/detail/walls.hpp"
#include "mees/sim/mujoco.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mees {

/// How far the root of a robot with a free joint was from `position`, where it was before a step of
/// the Runge-Kutta method, when the engine looked for contacts again: at x + h/2 v1, x + h/2 v2 and
/// x + h v3. `data` is that after the step, `velocity` that before.
///
/// The engine leaves x + h v3 and the last acceleration a4; v2 follows from them and from the new
/// position and velocity, which have the weighted sums of v1 .. v4 and of a1 .. a4.
using StageWays = std::array<std::array<mjtNum, 3>, 3>;
[[nodiscard]] StageWays ways_in_runge_kutta(mjModel const& model, mjData const& data,
                                            std::span<mjtNum const, 3> position,
                                            std::span<mjtNum const, 3> velocity);

/// Steps of a model: or, as long as the robot cannot touch a wall, of the same model without them,
/// which needs no search for contacts. The results are bit-identical.
///
/// A step in which the robot came near a wall at any stage of the integrator, or which the engine
/// reset, is repeated with the walls.
class ModelSteps {
  public:
    /// `open` may be null; otherwise its data must have the layout of the data of `model`. Both
    /// must outlive this object.
    ModelSteps(mjModel const& model, mjModel const* open);

    void step(mjData& data);

    /// How many steps were made without walls.
    [[nodiscard]] std::int64_t open_steps() const { return open_steps_; }

  private:
    void remember(mjData const& data);
    void restore(mjData& data) const;
    [[nodiscard]] bool stayed_within(double distance, mjData const& data) const;

    mjModel const* model_;
    mjModel const* open_;
    std::optional<Walls> walls_;
    std::vector<mjtNum> state_;
    std::array<mjtNum, 3> position_{};
    std::array<mjtNum, 3> velocity_{};
    std::array<mjWarningStat, mjNWARNING> warnings_{};
    std::int64_t open_steps_{0};
};

}  // namespace mees

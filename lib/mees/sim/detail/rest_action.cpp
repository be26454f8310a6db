#include "mees/core/error.hpp"
#include "mees/sim/detail/mujoco_task.hpp"

#include <algorithm>

namespace mees {
namespace {

// Of a motor, in shares of its range: per radian (or metre) and per radian per second.
constexpr double rest_stiffness = 0.5;
constexpr double rest_damping = 0.1;

bool has_position(mjModel const& model, int joint)
{
    return model.jnt_type[joint] == mjJNT_HINGE || model.jnt_type[joint] == mjJNT_SLIDE;
}

}  // namespace

void MujocoTask::rest_action(std::span<double> action) const
{
    expects(std::ssize(action) == model_->nu, "an action has a value per motor");
    auto const* const rest =
        rules_.keyframe >= 0 ? model_->key_qpos + rules_.keyframe * model_->nq : model_->qpos0;
    for (int i = 0; i < model_->nu; ++i) {
        auto const at = static_cast<std::size_t>(i);
        bool const mapped = !rules_.action_offset.empty();
        double const offset = mapped ? rules_.action_offset[at] : 0;
        double const scale = mapped && rules_.action_scale[at] != 0 ? rules_.action_scale[at] : 1;
        int const joint = model_->actuator_trnid[2 * i];
        if (model_->actuator_trntype[i] != mjTRN_JOINT || !has_position(*model_, joint)) {
            action[at] = (0 - offset) / scale;
            continue;
        }
        double const wanted = rest[model_->jnt_qposadr[joint]];
        double const position = data_->qpos[model_->jnt_qposadr[joint]];
        double const velocity = data_->qvel[model_->jnt_dofadr[joint]];
        double const gear = model_->actuator_gear[6 * i];
        double const* const bias = model_->actuator_biasprm + mjNBIAS * i;
        if (model_->actuator_biastype[i] == mjBIAS_NONE) {
            double const drive = rest_stiffness * (wanted - position) - rest_damping * velocity;
            action[at] = std::clamp(gear < 0 ? -drive : drive, -1.0, 1.0);
        } else {
            // A position servo's force is 0 where its length, gear times the joint's position, is
            // its control; a velocity servo rests at 0.
            double const control = bias[1] != 0 ? gear * wanted : 0;
            action[at] = (control - offset) / scale;
        }
    }
}

}  // namespace mees

#include "mees/sim/damage_motors.hpp"

#include "mees/sim/mujoco.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace mees {
namespace {

std::optional<int> motor_number(mjModel const& model, std::string_view name)
{
    if (name.starts_with('J')) {
        name.remove_prefix(1);
    }
    int number = -1;
    auto const [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{} || stop != name.data() + name.size() || number < 0
        || number >= model.nu) {
        return {};
    }
    return number;
}

bool acts_on_joint(mjModel const& model, int motor)
{
    return model.actuator_trntype[motor] == mjTRN_JOINT
           || model.actuator_trntype[motor] == mjTRN_JOINTINPARENT;
}

/// By the motor's own name, its joint's, or J and its number.
std::vector<int> motors_called(mjModel const& model, std::string const& name)
{
    if (int const id = mj_name2id(&model, mjOBJ_ACTUATOR, name.c_str()); id >= 0) {
        return {id};
    }
    std::vector<int> motors;
    if (int const joint = mj_name2id(&model, mjOBJ_JOINT, name.c_str()); joint >= 0) {
        for (int motor = 0; motor < model.nu; ++motor) {
            if (acts_on_joint(model, motor) && model.actuator_trnid[2 * motor] == joint) {
                motors.push_back(motor);
            }
        }
    } else if (auto const number = motor_number(model, name)) {
        motors.push_back(*number);
    }
    return motors;
}

/// "J0..J7 or one of hip_4, ankle_4": all that `motors_called` knows, each once.
std::string known_motors(mjModel const& model)
{
    auto names = names_of(model, mjOBJ_ACTUATOR);
    for (auto const& joint : names_of(model, mjOBJ_JOINT)) {
        if (std::ranges::find(names, joint) == names.end()
            && !motors_called(model, joint).empty()) {
            names.push_back(joint);
        }
    }
    auto const numbers = model.nu == 1 ? "J0" : fmt::format("J0..J{}", model.nu - 1);
    return names.empty() ? numbers
                         : fmt::format("{} or one of {}", numbers, fmt::join(names, ", "));
}

}  // namespace

std::vector<int> motors_of(mjModel const& model, DamagePart const& part)
{
    auto motors = motors_called(model, part.name);
    if (motors.empty()) {
        reject_damage(part.text,
                      fmt::format("no motor is called \"{}\" or moves such a joint", part.name),
                      fmt::format("use {}", known_motors(model)));
    }
    return motors;
}

}  // namespace mees

#include "mees/sim/detail/apply_damage.hpp"

#include "mees/core/error.hpp"
#include "mees/sim/mujoco.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
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

/// By the name of the motor, the name of its joint, or J and its number.
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

/// "J0..J7 or one of hip_4, ankle_4": every name that `motors_called` accepts, once.
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

/// The motor of that name or number, or all that move the joint of that name.
std::vector<int> motors_of(mjModel const& model, Damage::Part const& part)
{
    auto motors = motors_called(model, part.name);
    if (motors.empty()) {
        reject_damage(part.text,
                      fmt::format("no motor is called \"{0}\" or moves a joint \"{0}\"", part.name),
                      fmt::format("Use {}.", known_motors(model)));
    }
    return motors;
}

constexpr double damaged_control = 0.01;

void limit_control(mjModel& model, Damage::Part const& part, ControlScale const& scale)
{
    for (int const motor : motors_of(model, part)) {
        auto const i = static_cast<std::size_t>(motor);
        double const middle = scale.offset.empty() ? 0 : scale.offset[i];
        double const reach = damaged_control * (scale.scale.empty() ? 1 : std::abs(scale.scale[i]));
        model.actuator_ctrllimited[motor] = 1;
        model.actuator_ctrlrange[2 * motor] = middle - reach;
        model.actuator_ctrlrange[2 * motor + 1] = middle + reach;
    }
}

std::vector<int> numbers_below(int count)
{
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

/// The gear transmits force to the joint and the joint's motion to the motor: a servo must measure
/// the same motion as before.
void scale_strength(mjModel& model, Damage::Part const& part)
{
    double const strength = part.value;
    bool const all = part.kind == Damage::Kind::strength && part.name.empty();
    for (int const motor :
         all ? numbers_below(static_cast<int>(model.nu)) : motors_of(model, part)) {
        auto const gain = model.actuator_gaintype[motor];
        auto const bias = model.actuator_biastype[motor];
        if ((gain != mjGAIN_FIXED && gain != mjGAIN_AFFINE)
            || (bias != mjBIAS_NONE && bias != mjBIAS_AFFINE)) {
            reject_damage(part.text, "only the strength of motors and servos can be changed",
                          "Name one of these.");
        }
        auto* gear = model.actuator_gear + 6 * motor;
        mju_scl(gear, gear, strength, 6);
        for (auto* by_motion : {model.actuator_gainprm + mjNGAIN * motor + 1,
                                model.actuator_biasprm + mjNBIAS * motor + 1}) {
            mju_scl(by_motion, by_motion, 1 / strength, 2);
        }
    }
}

bool can_be_locked(mjModel const& model, int joint)
{
    return model.jnt_type[joint] == mjJNT_HINGE || model.jnt_type[joint] == mjJNT_SLIDE;
}

void lock(mjModel& model, Damage::Part const& part)
{
    int const joint = find_id(model, mjOBJ_JOINT, part.name, "joint");
    if (!can_be_locked(model, joint)) {
        reject_damage(part.text, "only hinges and slides can be locked", "Name one of these.");
    }
    auto* range = model.jnt_range + 2 * joint;
    double const rest = model.qpos0[model.jnt_qposadr[joint]];
    double const held = model.jnt_limited[joint] != 0 ? std::clamp(rest, range[0], range[1]) : rest;
    model.jnt_limited[joint] = 1;
    range[0] = held;
    range[1] = held;
}

void scale_friction(mjModel& model, double factor)
{
    for (int geom = 0; geom < model.ngeom; ++geom) {
        model.geom_friction[3 * geom] *= factor;
    }
    for (int pair = 0; pair < model.npair; ++pair) {
        model.pair_friction[5 * pair] *= factor;
        model.pair_friction[5 * pair + 1] *= factor;
    }
}

void scale_damping(mjModel& model, Damage::Part const& part)
{
    std::optional<int> joint;
    if (!part.name.empty()) {
        joint = find_id(model, mjOBJ_JOINT, part.name, "joint");
    }
    bool changed = false;
    for (int dof = 0; dof < model.nv; ++dof) {
        if (!joint || model.dof_jntid[dof] == *joint) {
            changed |= model.dof_damping[dof] > 0;
            model.dof_damping[dof] *= part.value;
        }
    }
    if (!changed) {
        reject_damage(part.text, joint ? "the joint has no damping" : "no joint has damping",
                      "Leave it out.");
    }
}

void scale_masses(mjModel& model, double factor)
{
    mju_scl(model.body_mass, model.body_mass, factor, static_cast<int>(model.nbody));
    mju_scl(model.body_inertia, model.body_inertia, factor, static_cast<int>(3 * model.nbody));
}

void change_mass(mjModel& model, Damage::Part const& part)
{
    if (part.name.empty()) {
        return scale_masses(model, part.value);
    }
    int const body = find_id(model, mjOBJ_BODY, part.name, "body");
    double const before = model.body_mass[body];
    double const after = before + part.value;
    if (before <= 0) {
        reject_damage(part.text, "the body has no mass of its own", "Change another body.");
    }
    if (after <= 0) {
        reject_damage(part.text, fmt::format("the body weighs {:.3g} kg", before),
                      fmt::format("Remove less, such as mass:{}={:.2g}.", part.name, -before / 2));
    }
    model.body_mass[body] = after;
    mju_scl3(model.body_inertia + 3 * body, model.body_inertia + 3 * body, after / before);
}

bool can_be_shortened(mjModel const& model, int body)
{
    auto const* type = model.geom_type + model.body_geomadr[body];
    auto const count = model.body_geomnum[body];
    return body > 0 && count > 0 && std::all_of(type, type + count, [](int geom) {
               return geom == mjGEOM_SPHERE || geom == mjGEOM_CAPSULE || geom == mjGEOM_CYLINDER
                      || geom == mjGEOM_BOX;
           });
}

}  // namespace

DamageWords damage_words(mjModel const& model)
{
    DamageWords words;
    for (int motor = 0; motor < model.nu; ++motor) {
        words.motors.push_back(fmt::format("J{}", motor));
    }
    for (auto const& joint : names_of(model, mjOBJ_JOINT)) {
        if (can_be_locked(model, mj_name2id(&model, mjOBJ_JOINT, joint.c_str()))) {
            words.lock.push_back(joint);
        }
    }
    for (auto const& name : names_of(model, mjOBJ_BODY)) {
        int const body = mj_name2id(&model, mjOBJ_BODY, name.c_str());
        if (can_be_shortened(model, body)) {
            words.shorten.push_back(name);
        }
        if (model.body_mass[body] > 0) {
            words.mass.push_back(name);
        }
    }
    return words;
}

void reject_damage(std::string_view part, std::string_view why, std::string_view remedy)
{
    throw ConfigError{fmt::format("invalid damage \"{}\"", part), why, remedy};
}

void apply_damage(mjModel& model, Damage::Part const& part, ControlScale const& scale)
{
    switch (part.kind) {
        case Damage::Kind::motor:
            return limit_control(model, part, scale);
        case Damage::Kind::lock:
            return lock(model, part);
        case Damage::Kind::weak:
        case Damage::Kind::strength:
            return scale_strength(model, part);
        case Damage::Kind::friction:
            return scale_friction(model, part.value);
        case Damage::Kind::shorten:
            return shorten_body(model, find_id(model, mjOBJ_BODY, part.name, "body"), part.value);
        case Damage::Kind::mass:
            return change_mass(model, part);
        case Damage::Kind::damping:
            return scale_damping(model, part);
        case Damage::Kind::gravity:
            return mju_scl3(model.opt.gravity, model.opt.gravity, part.value);
    }
}

}  // namespace mees

#include "mees/sim/damage.hpp"

#include "mees/sim/damage_motors.hpp"
#include "mees/sim/damage_part.hpp"
#include "mees/sim/mujoco.hpp"
#include "mees/sim/shorten.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mees {
namespace {

constexpr double broken_control = 0.01;

void cut_control(mjModel& model, DamagePart const& part)
{
    for (int const motor : motors_of(model, part)) {
        model.actuator_ctrllimited[motor] = 1;
        model.actuator_ctrlrange[2 * motor] = -broken_control;
        model.actuator_ctrlrange[2 * motor + 1] = broken_control;
    }
}

/// The gear carries force to the joint and the joint's motion back to the motor: what a servo knows
/// of that motion must not change with it.
void weaken(mjModel& model, DamagePart const& part)
{
    double const strength = share(part);
    for (int const motor : motors_of(model, part)) {
        auto const gain = model.actuator_gaintype[motor];
        auto const bias = model.actuator_biastype[motor];
        if ((gain != mjGAIN_FIXED && gain != mjGAIN_AFFINE)
            || (bias != mjBIAS_NONE && bias != mjBIAS_AFFINE)) {
            reject_damage(part.text, "only motors and servos can be weakened", "name one of these");
        }
        auto* gear = model.actuator_gear + 6 * motor;
        mju_scl(gear, gear, strength, 6);
        for (auto* by_motion : {model.actuator_gainprm + mjNGAIN * motor + 1,
                                model.actuator_biasprm + mjNBIAS * motor + 1}) {
            mju_scl(by_motion, by_motion, 1 / strength, 2);
        }
    }
}

void lock(mjModel& model, DamagePart const& part)
{
    int const joint = find_id(model, mjOBJ_JOINT, part.name, "joint");
    if (model.jnt_type[joint] != mjJNT_HINGE && model.jnt_type[joint] != mjJNT_SLIDE) {
        reject_damage(part.text, "only hinges and slides can be locked", "name one of these");
    }
    auto* range = model.jnt_range + 2 * joint;
    double const rest = model.qpos0[model.jnt_qposadr[joint]];
    double const held = model.jnt_limited[joint] != 0 ? std::clamp(rest, range[0], range[1]) : rest;
    model.jnt_limited[joint] = 1;
    range[0] = held;
    range[1] = held;
}

void make_slippery(mjModel& model, DamagePart const& part)
{
    if (!part.value || part.is_signed || *part.value <= 0) {
        reject_damage(part.text, "friction is scaled by a number above 0",
                      "write it like friction=0.5");
    }
    double const remaining = *part.value;
    for (int geom = 0; geom < model.ngeom; ++geom) {
        model.geom_friction[3 * geom] *= remaining;
    }
    for (int pair = 0; pair < model.npair; ++pair) {
        model.pair_friction[5 * pair] *= remaining;
        model.pair_friction[5 * pair + 1] *= remaining;
    }
}

void change_mass(mjModel& model, DamagePart const& part)
{
    int const body = find_id(model, mjOBJ_BODY, part.name, "body");
    if (!part.value || !part.is_signed) {
        reject_damage(part.text, "a change of mass has a sign", "write it like mass:BODY=+1.5");
    }
    double const before = model.body_mass[body];
    double const after = before + *part.value;
    if (before <= 0 || after <= 0) {
        reject_damage(part.text, fmt::format("the body weighs {} kg", before),
                      "leave it some mass");
    }
    model.body_mass[body] = after;
    mju_scl3(model.body_inertia + 3 * body, model.body_inertia + 3 * body, after / before);
}

void apply(mjModel& model, DamagePart const& part)
{
    if (part.kind.empty()) {
        cut_control(model, part);
    } else if (part.kind == "weak") {
        weaken(model, part);
    } else if (part.kind == "friction" && part.name.empty()) {
        make_slippery(model, part);
    } else if (part.kind == "lock" && !part.value) {
        lock(model, part);
    } else if (part.kind == "shorten") {
        shorten_body(model, find_id(model, mjOBJ_BODY, part.name, "body"), share(part));
    } else if (part.kind == "mass") {
        change_mass(model, part);
    } else {
        reject_damage(part.text, "it is no motor or joint and no change of the model",
                      "use J0, lock:JOINT, weak:MOTOR=0.3, friction=0.5, shorten:BODY=0.7 or "
                      "mass:BODY=+1.5");
    }
}

}  // namespace

std::vector<NamedDamage> paper_damages()
{
    std::vector<NamedDamage> damages;
    for (int joint = 0; joint < 8; ++joint) {
        damages.push_back({fmt::format("J{}", joint), {fmt::format("J{}", joint)}});
    }
    for (int joint = 0; joint < 8; joint += 2) {
        auto const hip = fmt::format("J{}", joint);
        auto const ankle = fmt::format("J{}", joint + 1);
        damages.push_back({fmt::format("{},{}", hip, ankle), {hip, ankle}});
    }
    return damages;
}

std::vector<std::string> split_damage(std::string_view text)
{
    std::vector<std::string> parts;
    while (true) {
        auto const comma = text.find(',');
        auto part = text.substr(0, comma);
        part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
        part = part.substr(0, part.find_last_not_of(' ') + 1);
        parts.emplace_back(part);
        if (comma == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(comma + 1);
    }
}

void apply_damage(mjModel& model, std::span<std::string const> damage)
{
    if (damage.empty()) {
        return;
    }
    for (auto const& entry : damage) {
        for (auto const& part : split_damage(entry)) {
            apply(model, parse_damage_part(part));
        }
    }
    mj_setConst(&model, make_data(model).get());
}

}  // namespace mees

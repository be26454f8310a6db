#include "mees/sim/robot_interface.hpp"

#include "mees/config/task_description.hpp"
#include "mees/core/error.hpp"
#include "mees/sim/detail/bound_quantity.hpp"
#include "mees/sim/mujoco.hpp"
#include "mees/sim/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

namespace mees {
namespace {

constexpr std::array<char const*, 7> pose_fields{"x", "y", "z", "qw", "qx", "qy", "qz"};
constexpr std::array<char const*, 6> twist_fields{"vx", "vy", "vz", "wx", "wy", "wz"};
constexpr std::array<char const*, 3> angle_fields{"roll", "pitch", "yaw"};

/// The object's name, or what it is and its number.
std::string name_or_number(mjModel const& model, mjtObj type, std::string_view what, int id)
{
    auto const* name = mj_id2name(&model, type, id);
    return name != nullptr && *name != 0 ? std::string{name} : fmt::format("{}{}", what, id);
}

std::string joint_name(mjModel const& model, int joint)
{
    return name_or_number(model, mjOBJ_JOINT, "joint", joint);
}

/// The joint that an entry of qpos (`address` is jnt_qposadr) or qvel (jnt_dofadr) belongs to.
int joint_at(mjModel const& model, int const* address, int entry)
{
    auto const* end = address + model.njnt;
    return static_cast<int>(std::upper_bound(address, end, entry) - address) - 1;
}

std::string position_name(mjModel const& model, int entry)
{
    int const joint = joint_at(model, model.jnt_qposadr, entry);
    auto const field = static_cast<std::size_t>(entry - model.jnt_qposadr[joint]);
    switch (model.jnt_type[joint]) {
        case mjJNT_FREE:
            return fmt::format("{}.{}", joint_name(model, joint), pose_fields.at(field));
        case mjJNT_BALL:
            return fmt::format("{}.{}", joint_name(model, joint), pose_fields.at(3 + field));
        default:
            return fmt::format("{}.position", joint_name(model, joint));
    }
}

std::string velocity_name(mjModel const& model, int entry, std::string_view single)
{
    int const joint = model.dof_jntid[entry];
    auto const field = static_cast<std::size_t>(entry - model.jnt_dofadr[joint]);
    switch (model.jnt_type[joint]) {
        case mjJNT_FREE:
            return fmt::format("{}.{}", joint_name(model, joint), twist_fields.at(field));
        case mjJNT_BALL:
            return fmt::format("{}.{}", joint_name(model, joint), twist_fields.at(3 + field));
        default:
            return fmt::format("{}.{}", joint_name(model, joint), single);
    }
}

std::string per_body(mjModel const& model, std::string_view source, int entry, int width)
{
    return fmt::format("{}.{}[{}]", name_or_number(model, mjOBJ_BODY, "body", entry / width),
                       source, entry % width);
}

std::string sensor_name(mjModel const& model, int entry)
{
    int const* const first = model.sensor_adr;
    auto const* after = std::upper_bound(first, first + model.nsensor, entry);
    int const sensor = static_cast<int>(after - first) - 1;
    auto name = name_or_number(model, mjOBJ_SENSOR, "sensor", sensor);
    return model.sensor_dim[sensor] == 1
               ? name
               : fmt::format("{}[{}]", name, entry - model.sensor_adr[sensor]);
}

std::string entry_name(mjModel const& model, Quantity const& quantity, int entry)
{
    using Source = QuantitySource;
    auto const field = static_cast<std::size_t>(entry);
    auto const source = name_of(quantity.source);
    switch (quantity.source) {
        case Source::qpos:
            return position_name(model, entry);
        case Source::qvel:
            return velocity_name(model, entry, "velocity");
        case Source::qfrc_actuator:
            return fmt::format("{}.force", velocity_name(model, entry, "actuator"));
        case Source::action:
        case Source::power:
            return fmt::format("{}.{}", name_or_number(model, mjOBJ_ACTUATOR, "J", entry), source);
        case Source::cinert:
            return per_body(model, source, entry, 10);
        case Source::cvel:
        case Source::cfrc_ext:
            return per_body(model, source, entry, 6);
        case Source::sensordata:
            return sensor_name(model, entry);
        case Source::position:
            return fmt::format("{}.{}", quantity.body, pose_fields.at(field));
        case Source::orientation:
            return fmt::format("{}.{}", quantity.body, pose_fields.at(3 + field));
        case Source::rotation:
            return fmt::format("{}.rotation[{}]", quantity.body, entry);
        case Source::angles:
            return fmt::format("{}.{}", quantity.body, angle_fields.at(field));
        case Source::subtree_com:
            return fmt::format("{}.subtree_com.{}", quantity.body, pose_fields.at(field));
        case Source::com:
            return fmt::format("com.{}", pose_fields.at(field));
        case Source::site:
            return fmt::format("{}.{}", quantity.site, pose_fields.at(field));
        case Source::contact:
            return fmt::format("{}.contact", quantity.geoms.at(field));
        case Source::ground_pose:
            return fmt::format("{}.ground_pose[{}]", quantity.body, entry);
    }
    contract_violated("a known source");
}

void add_inputs(RobotInterface& result, mjModel const& model, Quantity const& quantity)
{
    auto entries = quantity.index;
    if (entries.empty()) {
        entries.resize(BoundQuantity{model, quantity}.size());
        std::iota(entries.begin(), entries.end(), quantity.first);
    }
    auto const& offset = quantity.offset;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        result.inputs.push_back({.name = entry_name(model, quantity, static_cast<int>(entries[i])),
                                 .offset = offset.empty() ? 0 : offset[offset.size() == 1 ? 0 : i],
                                 .scale = quantity.scale.value_or(1),
                                 .clip = quantity.clip});
    }
}

RobotInterface::Output output_of(mjModel const& model, TaskDescription const& description,
                                 int motor)
{
    auto const i = static_cast<std::size_t>(motor);
    RobotInterface::Output output{.actuator = name_or_number(model, mjOBJ_ACTUATOR, "J", motor),
                                  .joint = {}};
    auto const kind = model.actuator_trntype[motor];
    if (kind == mjTRN_JOINT || kind == mjTRN_JOINTINPARENT) {
        output.joint = joint_name(model, model.actuator_trnid[2 * motor]);
    }
    if (!description.action_offset.empty()) {
        output.offset = description.action_offset[i];
        output.scale = description.action_scale[i];
    }
    if (model.actuator_ctrllimited[motor] != 0) {
        output.lower = model.actuator_ctrlrange[2 * motor];
        output.upper = model.actuator_ctrlrange[2 * motor + 1];
    }
    return output;
}

}  // namespace

RobotInterface robot_interface(DomainDocument const& document, std::string const& source)
{
    auto const domain = restore_domain(document, source);
    auto const description = parse_description(document.description, source);
    auto const model = domain->full_model();
    RobotInterface result;
    result.control_period = domain->spec().seconds_per_step;
    result.model_sha256 = domain->spec().model_sha256;
    for (auto const& quantity : description.observation) {
        add_inputs(result, *model, quantity);
    }
    for (int motor = 0; motor < model->nu; ++motor) {
        result.outputs.push_back(output_of(*model, description, motor));
    }
    expects(std::ssize(result.inputs) == domain->spec().observation_size,
            "an input per entry of the observation");
    return result;
}

}  // namespace mees

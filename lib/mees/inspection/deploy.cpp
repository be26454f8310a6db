#include "mees/inspection/detail/deploy.hpp"

#include "mees/core/text.hpp"
#include "mees/core/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

namespace mees::inspect {
namespace {

/// With a decimal point where there is an exponent: other numbers with one are strings in YAML 1.1.
std::string yaml_number(double value)
{
    auto text = fmt::format("{}", value);
    if (auto const exponent = text.find('e');
        exponent != std::string::npos && text.find('.') == std::string::npos) {
        text.insert(exponent, ".0");
    }
    return text;
}

std::string number_or_null(std::optional<double> value)
{
    return value ? yaml_number(*value) : std::string{"null"};
}

template <class Records, class Text>
std::string json_list(Records const& records, Text const& text)
{
    std::vector<std::string> texts;
    for (auto const& record : records) {
        texts.push_back(text(record));
    }
    return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace

Notes robot_notes(RobotInterface const& robot)
{
    using Output = RobotInterface::Output;
    auto const outputs = [&](auto const& text) { return json_list(robot.outputs, text); };
    auto const inputs = [&](auto const& text) { return json_list(robot.inputs, text); };
    return {
        {"observation_names", inputs([](auto const& input) { return json_string(input.name); })},
        {"observation_offset",
         inputs([](auto const& input) { return fmt::format("{}", input.offset); })},
        {"observation_scale",
         inputs([](auto const& input) { return fmt::format("{}", input.scale); })},
        {"observation_limit", inputs([](auto const& input) { return number_or_null(input.clip); })},
        {"actuator_names", outputs([](Output const& o) { return json_string(o.actuator); })},
        {"joint_names", outputs([](Output const& o) { return json_string(o.joint); })},
        {"action_offset", outputs([](Output const& o) { return fmt::format("{}", o.offset); })},
        {"action_scale", outputs([](Output const& o) { return fmt::format("{}", o.scale); })},
        {"action_lower", outputs([](Output const& o) { return number_or_null(o.lower); })},
        {"action_upper", outputs([](Output const& o) { return number_or_null(o.upper); })},
        {"control_period", fmt::format("{}", robot.control_period)}};
}

std::string deploy_yaml(RobotInterface const& robot, MapReader const& map,
                        StoredElite const& stored, std::vector<std::string> const& policies,
                        std::int64_t chain_steps)
{
    auto const policy =
        policies.size() == 1
            ? fmt::format("policy: {}", json_string(policies.front()))
            : fmt::format(
                "# The links of a chain: each but the last acts for chain_steps periods.\n"
                "links: {}\nchain_steps: {}",
                json_list(policies, json_string), chain_steps);
    auto text = fmt::format(
        "# A controller of mees {}. Observations and actuators are in the order of the network's\n"
        "# inputs and outputs: input = clip((value - offset) / scale), and\n"
        "# control = offset + scale * output, limited to lower..upper.\n"
        "{}\ndomain: {}\ncell: {}\nfitness: {}\nbc: {}\nmodel_sha256: {}\n"
        "control_period: {}\nobservations:\n",
        version(), policy, json_string(map.run().domain), stored.cell.value(),
        yaml_number(stored.elite.fitness), json_list(stored.elite.bc, yaml_number),
        json_string(robot.model_sha256), yaml_number(robot.control_period));
    for (auto const& input : robot.inputs) {
        text += fmt::format("  - {{name: {}, offset: {}, scale: {}, clip: {}}}\n",
                            json_string(input.name), yaml_number(input.offset),
                            yaml_number(input.scale), number_or_null(input.clip));
    }
    text += "actuators:\n";
    for (auto const& output : robot.outputs) {
        text += fmt::format(
            "  - {{name: {}, joint: {}, offset: {}, scale: {}, lower: {}, upper: {}}}\n",
            json_string(output.actuator), json_string(output.joint), yaml_number(output.offset),
            yaml_number(output.scale), number_or_null(output.lower), number_or_null(output.upper));
    }
    return text;
}

std::string_view ros_node()
{
    return
#include "mees_node.inc"
        ;
}

}  // namespace mees::inspect

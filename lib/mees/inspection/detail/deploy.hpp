#pragma once

#include "mees/sim/robot_interface.hpp"
#include "mees/storage/map/lookup.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mees::inspect {

using Notes = std::vector<std::pair<std::string, std::string>>;

/// The robot as metadata of an ONNX file: lists are JSON arrays in the order of
/// inputs or outputs.
[[nodiscard]] Notes robot_notes(RobotInterface const& robot);

/// The content of deploy.yaml; `policies` are the ONNX files next to it: several are the links of a
/// chain, each but the last of which acts for `chain_steps` control periods.
[[nodiscard]] std::string deploy_yaml(RobotInterface const& robot, MapReader const& map,
                                      StoredElite const& stored,
                                      std::vector<std::string> const& policies,
                                      std::int64_t chain_steps);

/// An example program that runs a deployed controller with ROS 2.
[[nodiscard]] std::string_view ros_node();

}  // namespace mees::inspect

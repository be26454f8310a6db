#pragma once

#include "mees/config/settings.hpp"
#include "mees/config/task_description.hpp"
#include "mees/sim/mujoco.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace mees {

/// The task that the settings of a user-defined domain describe. Throws ConfigError for what does
/// not fit the model.
[[nodiscard]] TaskDescription describe_mjcf(mjModel const& model, DomainSettings const& settings);

// Parts of it.

/// The name of a body; of the first, where the settings name none.
[[nodiscard]] std::string body_or_first(mjModel const& model, std::string const& name);
/// Entries of the body's position, and of another source.
[[nodiscard]] Quantity position_of(std::string body, std::vector<std::int64_t> index);
[[nodiscard]] Quantity part_of_body(QuantitySource source, std::string body,
                                    std::vector<std::int64_t> index);
/// The displacement of a body as seen from its initial pose, with its turn.
[[nodiscard]] BehaviourPart displacement_of(std::string body);
[[nodiscard]] std::vector<BehaviourPart> behaviour_of(mjModel const& model,
                                                      MjcfSettings const& settings);

/// What a user should know of the robot before training it: how actions become controls, motors
/// and joints that cannot work as they are.
[[nodiscard]] std::vector<std::string> notes_on(mjModel const& model,
                                                TaskDescription const& description);

}  // namespace mees

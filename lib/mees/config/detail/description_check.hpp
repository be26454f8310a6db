#pragma once

#include "mees/config/task_description.hpp"

#include <string>

namespace mees::description {

/// What the values of a description break, each being of its type: "a [[reward]] of the kind rate
/// has no source"; "" if nothing.
[[nodiscard]] std::string fault_of(TaskDescription const& task);

}  // namespace mees::description

#pragma once

#include <string>

namespace mees::process {

/// An entry of the environment of a program, unlike that of any other: "NAME=VALUE".
[[nodiscard]] std::string new_mark();

/// Kills the processes of this host whose environment, as they were started, contains the mark:
/// those that a marked program has started. Returns when none is left, or after some seconds. Does
/// not find processes that were started with an environment without the mark.
void kill_marked(std::string const& mark);

}  // namespace mees::process

#pragma once

#include <string>
#include <vector>

namespace mees {

// A map names the command of its environment, and a map may come from anyone: only commands that
// this user has trained with are run because a map names them. They are kept, as digests, in
// $XDG_STATE_HOME/mees/commands (~/.local/state by default).

/// Whether this user has trained with the command. False if that cannot be found out.
[[nodiscard]] bool is_trusted(std::vector<std::string> const& command);

/// Notes that this user trains with the command. Does nothing if that cannot be written.
void trust(std::vector<std::string> const& command);

}  // namespace mees

#pragma once

#include <set>
#include <string>

// The parts of a map file that two files of the same state may differ in.

namespace mees {

[[nodiscard]] inline bool depends_on_the_clock(std::string const& object)
{
    return object == "/timing" || object.starts_with("/timing/");
}

[[nodiscard]] inline bool depends_on_the_clock(std::string const& object,
                                               std::string const& attribute)
{
    static std::set<std::string> const names{"created", "wall_seconds", "restarts"};
    return object == "/" && names.contains(attribute);
}

}  // namespace mees

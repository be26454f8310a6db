#include "mees/sim/registry.hpp"

#include "mees/core/error.hpp"

#include <fmt/ranges.h>

#include <array>

namespace mees {
namespace {

struct Entry {
    char const* name;
    DomainPtr (*make)(DomainSettings const&);
};

constexpr std::array registry{
    Entry{"ant", make_ant},
    Entry{"ant_maze", make_ant_maze},
    Entry{"deceptive_humanoid", make_deceptive_humanoid},
    Entry{"mjcf", make_mjcf},
    Entry{"point_maze", make_point_maze},
    Entry{"sleep", make_sleep},
};

}  // namespace

std::vector<std::string> domain_names()
{
    std::vector<std::string> names;
    for (auto const& entry : registry) {
        names.emplace_back(entry.name);
    }
    return names;
}

std::shared_ptr<Domain const> make_domain(DomainSettings const& settings)
{
    for (auto const& entry : registry) {
        if (settings.name == entry.name) {
            return entry.make(settings);
        }
    }
    throw ConfigError{fmt::format("domain.name = \"{}\" is unknown", settings.name),
                      fmt::format("there are: {}", fmt::join(domain_names(), ", ")),
                      "use one of these"};
}

}  // namespace mees

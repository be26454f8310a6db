#include "mees/sim/registry.hpp"

#include "mees/core/error.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace mees {

DomainRegistry::DomainRegistry()
    : makers_{
        {"ant", make_ant},
        {"ant_maze", make_ant_maze},
        {"deceptive_humanoid", make_deceptive_humanoid},
        {"mjcf", make_mjcf},
        {"point_maze", make_point_maze},
        {"sleep", make_sleep},
    }
{
}

void DomainRegistry::add(std::string name, DomainMaker make)
{
    auto const known = names();
    expects(std::ranges::find(known, name) == known.end(), "a new name for a domain");
    makers_.emplace_back(std::move(name), std::move(make));
}

std::vector<std::string> DomainRegistry::names() const
{
    std::vector<std::string> names;
    for (auto const& [name, make] : makers_) {
        names.push_back(name);
    }
    return names;
}

DomainPtr DomainRegistry::make(DomainSettings const& settings) const
{
    for (auto const& [name, make] : makers_) {
        if (settings.name == name) {
            return make(settings);
        }
    }
    throw ConfigError{fmt::format("domain.name = \"{}\" is unknown", settings.name),
                      fmt::format("there are: {}", fmt::join(names(), ", ")), "use one of these"};
}

std::vector<std::string> domain_names()
{
    return DomainRegistry{}.names();
}

std::shared_ptr<Domain const> make_domain(DomainSettings const& settings)
{
    return DomainRegistry{}.make(settings);
}

}  // namespace mees

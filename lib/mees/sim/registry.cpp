#include "mees/sim/registry.hpp"

#include "mees/core/error.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace mees {

std::shared_ptr<Domain const> Domain::with_damage(Damage const& damage) const
{
    throw ConfigError{fmt::format("invalid damage \"{}\"", damage.text()),
                      fmt::format("the domain {} cannot be damaged", spec().name),
                      "Leave out the damage."};
}

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
    expects(std::ranges::find(known, name) == known.end(), "a domain is added under a new name");
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
            auto domain = make(settings);
            return settings.damage.empty() ? domain
                                           : domain->with_damage(Damage::parse(settings.damage));
        }
    }
    throw ConfigError{fmt::format("unknown domain.name = \"{}\"", settings.name),
                      fmt::format("it must be one of {}", fmt::join(names(), ", ")),
                      "Use one of these."};
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

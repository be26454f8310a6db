#include "mees/sim/registry.hpp"

#include "mees/core/error.hpp"

#include <fmt/ranges.h>

#include <algorithm>

// One line per domain: its name, and the groups of keys that it uses. tasks/NAME.cpp defines
// make_NAME.
#define MEES_DOMAINS(X)                                          \
    X(ant, contact_forces, contact_costs, integrator, terminate) \
    X(ant_maze, integrator)                                      \
    X(deceptive_humanoid, contact_costs, integrator, terminate)  \
    X(point_maze, integrator)                                    \
    X(sleep, sleep)                                              \
    X(mjcf, mjcf, integrator, terminate)

namespace mees {

std::shared_ptr<Domain const> Domain::with_damage(Damage const& damage) const
{
    throw ConfigError{fmt::format("invalid damage \"{}\"", damage.text()),
                      fmt::format("the domain {} cannot be damaged", spec().name),
                      "Leave out the damage."};
}

#define MEES_DECLARE(name, ...) DomainPtr make_##name(DomainSettings const& settings);
#define MEES_ENTRY(name, ...) {{#name, {{__VA_ARGS__}}}, make_##name},

MEES_DOMAINS(MEES_DECLARE)

DomainRegistry::DomainRegistry()
{
    using enum KeyGroup;
    entries_ = {MEES_DOMAINS(MEES_ENTRY)};
}

#undef MEES_ENTRY
#undef MEES_DECLARE
#undef MEES_DOMAINS

void DomainRegistry::add(std::string name, DomainMaker make)
{
    auto const names = names_of(known());
    expects(std::ranges::find(names, name) == names.end(), "a domain is added under a new name");
    entries_.push_back({{std::move(name)}, std::move(make)});
}

std::vector<KnownName> DomainRegistry::known() const
{
    std::vector<KnownName> names;
    for (auto const& entry : entries_) {
        names.push_back(entry.known);
    }
    return names;
}

DomainPtr DomainRegistry::make(DomainSettings const& settings) const
{
    for (auto const& entry : entries_) {
        if (settings.name == entry.known.name) {
            auto domain = entry.make(settings);
            return settings.damage.empty() ? domain
                                           : domain->with_damage(Damage::parse(settings.damage));
        }
    }
    throw ConfigError{fmt::format("unknown domain.name = \"{}\"", settings.name),
                      fmt::format("it must be one of {}", fmt::join(names_of(known()), ", ")),
                      "Use one of these."};
}

}  // namespace mees

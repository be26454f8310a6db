#include "mees/sim/registry.hpp"

#include "mees/core/error.hpp"
#include "mees/core/text.hpp"
#include "mees/sim/detail/mujoco_domain.hpp"
#include "mees/sim/process/trust.hpp"

#include <fmt/ranges.h>

#include <algorithm>

// One line per domain: its name, and the groups of keys that it uses. tasks/NAME.cpp defines
// make_NAME.
#define MEES_DOMAINS(X)                                                     \
    X(ant, behaviour, contact_forces, contact_costs, integrator, terminate) \
    X(ant_maze, integrator)                                                 \
    X(deceptive_humanoid, contact_costs, integrator, terminate)             \
    X(point_maze, integrator)                                               \
    X(point_maze_two_traps, integrator)                                     \
    X(half_cheetah, integrator)                                             \
    X(hopper, integrator, terminate)                                        \
    X(walker2d, integrator, terminate)                                      \
    X(sleep, sleep)                                                         \
    X(mjcf, behaviour, mjcf, integrator, terminate)                         \
    X(process, process)

namespace mees {
namespace {

/// Throws FileError if compiling it would read a file.
ModelText model_of(DomainDocument const& document, std::string const& name)
{
    ModelText model{name, document.model, document.assets};
    require_self_contained(model);
    return model;
}

}  // namespace

std::vector<std::unique_ptr<Task>> Domain::make_tasks(std::int64_t count) const
{
    std::vector<std::unique_ptr<Task>> tasks;
    for (std::int64_t i = 0; i < count; ++i) {
        tasks.push_back(make_task());
    }
    return tasks;
}

std::shared_ptr<Domain const> Domain::with_damage(Damage const& damage) const
{
    throw ConfigError{fmt::format("invalid damage \"{}\"", damage.text()),
                      fmt::format("the domain {} cannot be damaged", spec().name),
                      "Leave out the damage."};
}

#define MEES_DECLARE(name, ...) \
    DomainPtr make_##name(DomainSettings const& settings, ModelText const* model);
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
    entries_.push_back({{std::move(name)},
                        [make = std::move(make)](DomainSettings const& settings, ModelText const*) {
                            return make(settings);
                        }});
}

std::vector<KnownName> DomainRegistry::known() const
{
    std::vector<KnownName> names;
    for (auto const& entry : entries_) {
        names.push_back(entry.known);
    }
    return names;
}

bool DomainRegistry::uses(std::string_view name, KeyGroup group) const
{
    return std::ranges::any_of(entries_, [&](Entry const& entry) {
        return entry.known.name == name && entry.known.names(group);
    });
}

bool DomainRegistry::reads_model_file(std::string_view name) const
{
    return uses(name, KeyGroup::mjcf);
}

bool DomainRegistry::starts_command(std::string_view name) const
{
    return uses(name, KeyGroup::process);
}

DomainPtr DomainRegistry::make(DomainSettings const& settings) const
{
    if (document_ && own_ && settings == *own_) {
        return restore_domain(*document_, "the map");
    }
    if (!document_ && !reads_files_ && reads_model_file(settings.name)) {
        throw FileError{"the file does not carry its model",
                        fmt::format("it was {} when the run started", settings.mjcf.model),
                        "Give the model with --model FILE."};
    }
    if (!reads_files_ && starts_command(settings.name) && !allows_commands_
        && !is_trusted(settings.process.command)) {
        throw FileError{
            fmt::format("the file names the command `{}` of its environment",
                        escaped(fmt::format("{}", fmt::join(settings.process.command, " ")))),
            "files may come from anyone, and you have not trained with this command",
            "If you trust it, add --allow-command."};
    }
    auto domain = make_anew(settings);
    return settings.damage.empty() ? domain : domain->with_damage(Damage::parse(settings.damage));
}

DomainPtr DomainRegistry::make_anew(DomainSettings const& settings) const
{
    for (auto const& entry : entries_) {
        if (settings.name == entry.known.name) {
            if (!document_) {
                return entry.make(settings, nullptr);
            }
            auto const model = model_of(*document_, "the map");
            return entry.make(settings, &model);
        }
    }
    throw ConfigError{fmt::format("unknown domain.name = \"{}\"", settings.name),
                      fmt::format("it must be one of {}", fmt::join(names_of(known()), ", ")),
                      "Use one of these."};
}

DomainRegistry DomainRegistry::carrying(std::shared_ptr<DomainDocument const> document,
                                        std::optional<DomainSettings> own) const
{
    auto registry = *this;
    registry.reads_files_ = false;
    registry.document_ = std::move(document);
    registry.own_ = std::move(own);
    return registry;
}

DomainRegistry DomainRegistry::allowing_commands() const
{
    auto registry = *this;
    registry.allows_commands_ = true;
    return registry;
}

DomainRegistry DomainRegistry::without_files() const
{
    auto registry = *this;
    registry.reads_files_ = false;
    return registry;
}

}  // namespace mees

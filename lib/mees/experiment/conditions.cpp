#include "mees/experiment/conditions.hpp"

#include "mees/config/config.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace mees {
namespace {

/// "domain.integrator" of "domain.integrator=rk4" and of "domain.integrator = "rk4"".
std::string key_of(std::string const& text)
{
    auto const end = text.find_first_of(" =");
    return text.substr(0, end);
}

ConfigError refused(std::string const& text, std::string const& why, std::string const& remedy)
{
    return {fmt::format("invalid --set {}", text), why, remedy};
}

void require_condition(std::string const& text)
{
    if (!text.starts_with("domain.")) {
        throw refused(text, "only keys of [domain] are conditions of an episode",
                      "Write it like --set domain.episode_steps=1000.");
    }
    auto const key = key_of(text);
    if (key == "domain.name") {
        throw refused(text, "a controller acts only in the domain it was trained in",
                      "Set other keys of [domain].");
    }
    if (key == "domain.training_without") {
        throw refused(text, "it has no effect on evaluation episodes", "Leave it out.");
    }
}

/// Paths of existing files become absolute: the settings may be stored and used elsewhere.
void complete_path(Key const& key, Settings& settings)
{
    auto const name = std::get<std::string>(key.get(settings));
    std::error_code error;
    auto const path = std::filesystem::canonical(name, error);
    if (!error) {
        key.set(settings, path.string());
    }
}

}  // namespace

Conditions other_conditions(Settings const& run, std::vector<std::string> const& overrides,
                            DomainRegistry const& domains)
{
    std::ranges::for_each(overrides, require_condition);
    KnownNames const known{domains.known(), {}};
    auto configuration =
        parse_configuration(to_toml(run), "the stored configuration", overrides, known);
    configuration.given.clear();
    std::ranges::transform(overrides, std::back_inserter(configuration.given), key_of);
    if (auto const foreign = foreign_keys(configuration, known); !foreign.empty()) {
        throw ConfigError{
            fmt::format("invalid --set {}", key_of(foreign.front())),
            fmt::format("it has no effect on the domain {}: {}", run.domain.name, foreign.front()),
            "Leave it out."};
    }
    Conditions conditions{std::move(configuration.settings), {}};
    for (auto const& key : schema()) {
        if (key.section == "domain" && key.get(conditions.settings) != key.get(run)) {
            if (key.is_path) {
                complete_path(key, conditions.settings);
            }
            conditions.changes.push_back(
                fmt::format("{} = {}", key.full_name(), to_toml(key.get(conditions.settings))));
        }
    }
    return conditions;
}

bool name_command(std::vector<std::string> const& overrides)
{
    return std::ranges::any_of(
        overrides, [](std::string const& text) { return key_of(text) == "domain.command"; });
}

DomainPtr make_domain(Conditions const& conditions, DomainPtr const& run,
                      DomainRegistry const& domains)
{
    if (conditions.changes.empty()) {
        return run;
    }
    auto domain = domains.make(conditions.settings.domain);
    auto const& before = run->spec();
    auto const& after = domain->spec();
    std::vector<std::string> reasons;
    if (before.observation_size != after.observation_size
        || before.action_size != after.action_size) {
        reasons.push_back(fmt::format(
            "the map's controllers have {} inputs and {} outputs, these conditions require {} and "
            "{}",
            before.observation_size, before.action_size, after.observation_size,
            after.action_size));
    }
    if (before.bc_names != after.bc_names) {
        reasons.push_back(fmt::format("the BC of the map is {}, that of these conditions {}",
                                      fmt::join(before.bc_names, ", "),
                                      fmt::join(after.bc_names, ", ")));
    }
    if (!reasons.empty()) {
        throw ConfigError{fmt::format("invalid --set {}", fmt::join(conditions.changes, ", ")),
                          fmt::format("{}", fmt::join(reasons, "; ")),
                          "Set only keys that keep observation, action and BC."};
    }
    return domain;
}

std::vector<std::string> merged_changes(std::vector<std::string> earlier,
                                        std::vector<std::string> const& later)
{
    std::erase_if(earlier, [&](std::string const& change) {
        return std::ranges::any_of(
            later, [&](std::string const& other) { return key_of(other) == key_of(change); });
    });
    earlier.insert(earlier.end(), later.begin(), later.end());
    return earlier;
}

}  // namespace mees

#include "mees/config/config.hpp"
#include "mees/config/detail/conditions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mees {
namespace {

bool contains(auto const& list, auto const& value)
{
    return std::ranges::find(list, value) != list.end();
}

/// Whether any key may have an effect with what `selector` names: it is not known, or does not say.
bool may_use_any_key(std::string_view selector, std::string const& name, KnownNames const& known)
{
    auto const& list = known.of_key(selector);
    auto const found = std::ranges::find(list, name, &KnownName::name);
    return found == list.end() || !found->uses;
}

/// What a key would need to have an effect; empty: nothing.
std::string missing_for(Key const& key, Settings const& settings, KnownNames const& known);

/// What its owner needs, or the value that the owner does not have.
std::string missing_of_owner(Key const& key, Settings const& settings, KnownNames const& known)
{
    if (!key.owner) {
        return {};
    }
    auto const& selector = key.owner->selector;
    if (selector.starts_with("domain.")
        && may_use_any_key("domain.name", settings.domain.name, known)) {
        return {};
    }
    auto const dot = selector.find('.');
    auto const& choice = *find_key(selector.substr(0, dot), selector.substr(dot + 1));
    if (auto missing = missing_for(choice, settings, known); !missing.empty()) {
        return missing;
    }
    auto const value = choice.get(settings);
    auto const* selected = std::get_if<Choice>(&value);
    auto const name =
        selected != nullptr ? std::string{selected->name()} : std::get<std::string>(value);
    bool const effective = key.owner->has_effect(name, known)
                           || (key.owner->group && may_use_any_key(selector, name, known));
    return effective ? std::string{} : key.owner->condition(known);
}

std::string missing_for(Key const& key, Settings const& settings, KnownNames const& known)
{
    auto missing = missing_of_owner(key, settings, known);
    return missing.empty() ? std::string{unmet_condition(key, settings, known)} : missing;
}

bool may_differ(Key const& key)
{
    return key.section == "checkpoint" || key.section == "cluster" || key.section == "log"
           || (key.section == "run" && key.name == "generations")
           || (key.section == "map"
               && contains(std::initializer_list<std::string_view>{"qd_offset", "memory_limit"},
                           key.name))
           || (key.section == "domain"
               && contains(std::initializer_list<std::string_view>{"step_timeout_seconds",
                                                                   "restarts", "batch"},
                           key.name));
}

/// Equal, or files of the same name in different folders.
bool same_word(std::string const& a, std::string const& b)
{
    std::filesystem::path const one{a};
    std::filesystem::path const other{b};
    return a == b
           || (one.is_absolute() && other.is_absolute() && one.filename() == other.filename());
}

bool same(Key const& key, Value const& a, Value const& b)
{
    if (key.section == "domain" && key.name == "command") {
        return std::ranges::equal(std::get<std::vector<std::string>>(a),
                                  std::get<std::vector<std::string>>(b), same_word);
    }
    if (!key.is_path) {
        return a == b;
    }
    return std::filesystem::path{std::get<std::string>(a)}.filename()
           == std::filesystem::path{std::get<std::string>(b)}.filename();
}

}  // namespace

std::vector<std::string> foreign_keys(Configuration const& configuration, KnownNames const& known)
{
    std::vector<std::string> foreign;
    for (auto const& key : schema()) {
        bool const given = contains(configuration.given, key.full_name());
        auto const missing =
            given ? missing_for(key, configuration.settings, known) : std::string{};
        if (!missing.empty()) {
            foreign.push_back(fmt::format("{} (only with {})", key.full_name(), missing));
        }
    }
    return foreign;
}

std::vector<std::string> differences_that_forbid_resume(Settings const& stored, Settings const& now)
{
    std::vector<std::string> differences;
    for (auto const& key : schema()) {
        auto const before = key.get(stored);
        auto const after = key.get(now);
        if (!may_differ(key) && !same(key, before, after)) {
            differences.push_back(
                fmt::format("{} is {} in the checkpoint and {} in the configuration",
                            key.full_name(), to_toml(before), to_toml(after)));
        }
    }
    return differences;
}

}  // namespace mees

#include "mees/config/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mees {
namespace {

/// The owner without which a key has no effect; a domain that is not built in may use any domain's
/// options.
std::optional<Owner> missing_owner(Key const& key, Settings const& settings)
{
    auto const& known = built_in_domains();
    bool const foreign_domain =
        std::find(known.begin(), known.end(), settings.domain.name) == known.end();
    if (!key.owner || (key.section == "domain" && foreign_domain)) {
        return std::nullopt;
    }
    auto const& [selector, values] = *key.owner;
    auto const dot = selector.find('.');
    auto const& choice = *find_key(selector.substr(0, dot), selector.substr(dot + 1));
    if (auto const missing = missing_owner(choice, settings)) {
        return missing;
    }
    auto const value = choice.get(settings);
    auto const* selected = std::get_if<Choice>(&value);
    auto const chosen = selected != nullptr ? selected->name() : std::get<std::string>(value);
    bool const owned = std::find(values.begin(), values.end(), chosen) != values.end();
    return owned ? std::nullopt : key.owner;
}

bool may_differ(Key const& key)
{
    return key.section == "checkpoint" || key.section == "log"
           || (key.section == "run" && key.name == "generations");
}

bool same(Key const& key, Value const& a, Value const& b)
{
    if (!key.is_path) {
        return a == b;
    }
    return std::filesystem::path{std::get<std::string>(a)}.filename()
           == std::filesystem::path{std::get<std::string>(b)}.filename();
}

}  // namespace

std::vector<std::string> foreign_keys(Configuration const& configuration)
{
    std::vector<std::string> foreign;
    for (auto const& key : schema()) {
        auto const& given = configuration.given;
        bool const set = std::find(given.begin(), given.end(), key.full_name()) != given.end();
        auto const missing = set ? missing_owner(key, configuration.settings) : std::nullopt;
        if (missing) {
            foreign.push_back(fmt::format("{} (of {} = {})", key.full_name(), missing->selector,
                                          fmt::join(missing->values, ", ")));
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
            differences.push_back(fmt::format("{}: {} is stored, {} is asked for", key.full_name(),
                                              to_toml(before), to_toml(after)));
        }
    }
    return differences;
}

}  // namespace mees

#include "mees/config/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mees {
namespace {

std::string chosen(std::string_view selector, Settings const& settings)
{
    auto const dot = selector.find('.');
    auto const* key = find_key(selector.substr(0, dot), selector.substr(dot + 1));
    return std::get<std::string>(key->get(settings));
}

/// Whether a key has an effect. A domain that is not built in may use any domain's options.
bool in_use(Owner const& owner, std::string const& current)
{
    auto const& known = built_in_domains();
    bool const foreign_domain = owner.selector == "domain.name"
                                && std::find(known.begin(), known.end(), current) == known.end();
    return foreign_domain
           || std::find(owner.values.begin(), owner.values.end(), current) != owner.values.end();
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
        if (!set || !key.owner) {
            continue;
        }
        if (!in_use(*key.owner, chosen(key.owner->selector, configuration.settings))) {
            foreign.push_back(fmt::format("{} (of {} = {})", key.full_name(), key.owner->selector,
                                          fmt::join(key.owner->values, ", ")));
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

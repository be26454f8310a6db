#include "mees/config/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mees {
namespace {

std::string range_phrase(Range range)
{
    bool const from = std::isfinite(range.lower);
    bool const to = std::isfinite(range.upper);
    if (from && to) {
        return fmt::format("from {} to {}", range.lower, range.upper);
    }
    return from ? fmt::format("of at least {}", range.lower) : "";
}

std::vector<Key> all_keys()
{
    constexpr detail::Section<&Settings::run> run{"run"};
    std::vector<Key> keys{
        run.key<&RunSettings::seed>(
            "seed", "Determines every random draw: the same seed gives a bit-identical map.",
            {.range = {0}}),
        run.key<&RunSettings::generations>("generations",
                                           "Generations after the initial controller, which is "
                                           "generation 0. May be increased when a run is resumed.",
                                           {.range = {0, 4294967295}}),
        run.key<&RunSettings::start_from>(
            "start_from",
            "A map whose elites start this run: each is evaluated in this run's domain and offered "
            "to the map in generation 0. Network and BC names must be the same. Empty: none.",
            {.is_path = true}),
        run.key<&RunSettings::start_cells>(
            "start_cells", "Which of them: `all`, `best`, or cells separated by commas.",
            {.rule = "\"all\", \"best\" or ids of cells such as \"12,407\"",
             .owner = Owner{"run.start_from"}}),
    };
    for (auto part : {&detail::domain_keys, &detail::learning_keys, &detail::map_keys,
                      &detail::algorithm_keys, &detail::output_keys}) {
        auto more = part();
        keys.insert(keys.end(), more.begin(), more.end());
    }
    return keys;
}

}  // namespace

std::string Key::full_name() const
{
    return fmt::format("{}.{}", section, name);
}

std::vector<std::string> Owner::names(KnownNames const& known) const
{
    std::vector<std::string> names{values.begin(), values.end()};
    for (auto const& entry : known.of_key(selector)) {
        if (group && entry.names(*group)) {
            names.push_back(entry.name);
        }
    }
    return names;
}

bool Owner::has_effect(std::string const& value, KnownNames const& known) const
{
    if (values.empty() && !group) {
        return !value.empty();
    }
    auto const allowed = names(known);
    return std::ranges::find(allowed, value) != allowed.end();
}

std::string Owner::condition(KnownNames const& known, std::string_view quote) const
{
    auto const key = fmt::format("{0}{1}{0}", quote, selector);
    return values.empty() && !group ? key
                                    : fmt::format("{} = {}", key, fmt::join(names(known), ", "));
}

std::vector<Key> const& schema()
{
    static std::vector<Key> const keys = all_keys();
    return keys;
}

std::vector<std::string_view> section_names()
{
    std::vector<std::string_view> names;
    for (auto const& key : schema()) {
        if (names.empty() || names.back() != key.section) {
            names.push_back(key.section);
        }
    }
    return names;
}

Key const* find_key(std::string_view section, std::string_view name)
{
    auto const& keys = schema();
    auto const found = std::find_if(keys.begin(), keys.end(), [&](Key const& key) {
        return key.section == section && key.name == name;
    });
    return found == keys.end() ? nullptr : &*found;
}

std::string_view type_name(Key const& key)
{
    static constexpr std::array<std::string_view, std::variant_size_v<Value>> names{
        "an integer",        "a number",           "true or false",     "a string",
        "a string",          "a list of integers", "a list of numbers", "a list of strings",
        "a list of strings", "a list of tables",   "a list of strings"};
    return names.at(key.default_value().index());
}

bool is_list(Key const& key)
{
    return type_name(key).starts_with("a list");
}

std::string allowed_values(Key const& key)
{
    bool const list = is_list(key);
    std::string phrase{type_name(key)};
    if (!key.access.names.empty()) {
        phrase =
            fmt::format("{} {}", list ? "a list of" : "one of", fmt::join(key.access.names, ", "));
    }
    if (auto const bounds = range_phrase(key.range); !bounds.empty()) {
        phrase += (list ? ", each " : " ") + bounds;
    }
    if (!key.rule.empty()) {
        phrase += fmt::format(", {}", key.rule);
    }
    return phrase;
}

std::string default_remedy(Key const& key)
{
    auto const value = to_toml(key.default_value());
    return value == "[]" || value == "\"\""
               ? fmt::format("Remove {} to use the default.", key.full_name())
               : fmt::format("Set {} to a value such as {}.", key.full_name(), value);
}

}  // namespace mees

#include "mees/config/config.hpp"
#include "mees/config/detail/check.hpp"
#include "mees/config/detail/key_depth.hpp"
#include "mees/config/detail/names.hpp"
#include "mees/config/detail/toml_value.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

namespace mees {
namespace {

std::vector<std::string> names_in(std::string_view section)
{
    std::vector<std::string> names;
    for (auto const& key : schema()) {
        if (key.section == section) {
            names.emplace_back(key.name);
        }
    }
    return names;
}

/// The full names of all keys called `name`; of all keys if there is none.
std::vector<std::string> homonyms(std::string_view name)
{
    std::vector<std::string> same;
    std::vector<std::string> all;
    for (auto const& key : schema()) {
        all.push_back(key.full_name());
        if (key.name == name) {
            same.push_back(key.full_name());
        }
    }
    return same.empty() ? all : same;
}

[[noreturn]] void refuse_section(std::string const& place, std::string_view section)
{
    auto const views = section_names();
    std::vector<std::string> const names{views.begin(), views.end()};
    auto const elsewhere = homonyms(section);
    throw ConfigError{fmt::format("unknown section {}", printable(section)),
                      fmt::format("{}: the sections are {}", place, fmt::join(names, ", ")),
                      elsewhere.size() < schema().size()
                          ? fmt::format("Did you mean {}?", fmt::join(elsewhere, " or "))
                          : suggestion(section, names)};
}

[[noreturn]] void refuse_key(std::string const& place, std::string_view section,
                             std::string_view name)
{
    auto const names = names_in(section);
    auto const elsewhere = homonyms(name);
    throw ConfigError{fmt::format("unknown key {}.{}", section, printable(name)),
                      fmt::format("{}: [{}] has {}", place, section, fmt::join(names, ", ")),
                      elsewhere.size() < schema().size()
                          ? fmt::format("Did you mean {}?", fmt::join(elsewhere, " or "))
                          : suggestion(name, names)};
}

[[noreturn]] void refuse(std::string const& place, Fault const& fault)
{
    throw ConfigError{fault.problem, fmt::format("{}: {}", place, fault.why), fault.remedy};
}

std::string type_remedy(Key const& key, toml::node const& node)
{
    auto const number = node.value_exact<double>();
    if (std::holds_alternative<std::int64_t>(key.default_value()) && number
        && std::abs(*number) < 1e15 && *number == std::trunc(*number)) {
        return fmt::format("Write {:.0f}.", *number);
    }
    return default_remedy(key);
}

/// Builds a configuration from a file's tables and from overrides, and records where each value
/// came from.
class Builder {
  public:
    explicit Builder(KnownNames const& known) : known_{known} {}

    void add_file(toml::table const& root, Source const& source);
    void add_override(std::string const& text);
    [[nodiscard]] Configuration finish(std::string const& source_name);

  private:
    void complete_seeds();
    void add(std::string_view section, std::string_view name, toml::node const& node,
             Source const& source);

    KnownNames const& known_;
    Settings settings_;
    std::map<std::string, std::string> places_;
};

/// Entries in the order of their lines, so that the first mistake is reported.
std::vector<std::pair<std::string_view, toml::node const*>> by_line(toml::table const& table)
{
    std::vector<std::pair<std::string_view, toml::node const*>> entries;
    for (auto const& [key, node] : table) {
        entries.emplace_back(key.str(), &node);
    }
    std::stable_sort(entries.begin(), entries.end(), [](auto const& a, auto const& b) {
        return a.second->source().begin.line < b.second->source().begin.line;
    });
    return entries;
}

void Builder::add_file(toml::table const& root, Source const& source)
{
    auto const sections = section_names();
    for (auto const& [section, node] : by_line(root)) {
        if (std::find(sections.begin(), sections.end(), section) == sections.end()) {
            refuse_section(source.place(*node), section);
        }
        auto const* table = node->as_table();
        if (table == nullptr) {
            throw ConfigError{
                fmt::format("invalid section {}", section),
                fmt::format("{}: must be a section with the keys {}, not {}", source.place(*node),
                            fmt::join(names_in(section), ", "), kind_of(*node)),
                fmt::format("Write [{}] above its keys.", section)};
        }
        for (auto const& [name, value] : by_line(*table)) {
            add(section, name, *value, source);
        }
    }
}

void Builder::add(std::string_view section, std::string_view name, toml::node const& node,
                  Source const& source)
{
    auto const place = source.place(node);
    auto const* key = find_key(section, name);
    if (key == nullptr) {
        refuse_key(place, section, name);
    }
    auto const value = to_value(*key, node, source);
    if (!value) {
        throw ConfigError{fmt::format("invalid {}", key->full_name()),
                          fmt::format("{}: must be {}, not {}{}", place, allowed_values(*key),
                                      kind_of(node), node.is_array() ? " of another type" : ""),
                          type_remedy(*key, node)};
    }
    if (auto const fault = check_value(*key, *value, known_)) {
        refuse(place, *fault);
    }
    key->set(settings_, *value);
    places_[key->full_name()] = place;
}

/// The TOML for a value as people type it on a command line.
std::string as_toml(Key const& key, std::string const& text)
{
    auto const quoted = [](std::string const& word) {
        bool const already = word.starts_with('"') || word.starts_with('\'');
        return already ? word : to_toml(Value{word});
    };
    auto const value = key.default_value();
    if (std::holds_alternative<std::string>(value) || std::holds_alternative<Choice>(value)) {
        return quoted(text);
    }
    if (!is_list(key) || text.starts_with('[')) {
        return text;
    }
    if (!std::holds_alternative<std::vector<std::string>>(value)
        && !std::holds_alternative<std::vector<Choice>>(value)
        && !std::holds_alternative<std::vector<Objective>>(value)) {
        return fmt::format("[{}]", text);
    }
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin <= text.size();) {
        auto const end = std::min(text.find(',', begin), text.size());
        words.push_back(quoted(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return fmt::format("[{}]", fmt::join(words, ", "));
}

/// What to add to the reason why an integer was not accepted, if it is one that TOML cannot hold.
std::string limit_of(Key const& key, std::string_view text)
{
    bool const digits =
        text.size() > 18 && text.find_first_not_of("0123456789_") == std::string_view::npos;
    return digits && std::holds_alternative<std::int64_t>(key.default_value())
               ? fmt::format(" and at most {}", std::numeric_limits<std::int64_t>::max())
               : "";
}

toml::table parse_override(Key const& key, std::string const& text, std::string const& place)
{
    bool const one_line = text.find_first_of("\r\n") == std::string::npos;
    try {
        auto const toml = fmt::format("value = {}", one_line ? as_toml(key, text) : "");
        auto table = line_of_deep_key(toml) ? toml::table{} : toml::parse(toml);
        if (table.size() == 1) {
            return table;
        }
    } catch (toml::parse_error const&) {
        // Reported below, with what the key accepts.
    }
    throw ConfigError{
        fmt::format("invalid value for {}", key.full_name()),
        fmt::format("{}: must be {}{}", place, allowed_values(key), limit_of(key, text)),
        default_remedy(key)};
}

void Builder::add_override(std::string const& text)
{
    Source const source{fmt::format("--set {}", printable(text)), false};
    auto const equals = text.find('=');
    auto const dot = text.find('.');
    if (equals == std::string::npos || dot > equals) {
        throw ConfigError{fmt::format("invalid {}", source.name), "expected section.key=value",
                          "Write it like --set run.seed=2."};
    }
    auto const section = text.substr(0, dot);
    auto const name = text.substr(dot + 1, equals - dot - 1);
    auto const sections = section_names();
    if (std::find(sections.begin(), sections.end(), section) == sections.end()) {
        refuse_section(source.name, section);
    }
    auto const* key = find_key(section, name);
    if (key == nullptr) {
        refuse_key(source.name, section, name);
    }
    auto const table = parse_override(*key, text.substr(equals + 1), source.name);
    add(section, name, table.begin()->second, source);
}

/// es.seeds and its other spelling agree where only one of them is given; where none is given,
/// objectives that compare BCs decide.
void Builder::complete_seeds()
{
    auto& es = settings_.es;
    bool const seeds_given = places_.contains("es.seeds");
    if (!seeds_given && es.paired_seeds) {
        es.seeds = SharedSeeds::pair;
    } else if (!seeds_given && needs_same_states(settings_.algorithm, known_)) {
        es.seeds = SharedSeeds::generation;
    } else if (seeds_given && !places_.contains("es.paired_seeds")) {
        es.paired_seeds = es.seeds == SharedSeeds::pair;
    }
}

Configuration Builder::finish(std::string const& source_name)
{
    complete_seeds();
    if (auto const fault = cross_check(settings_, known_)) {
        auto const given =
            std::find_if(fault->keys.begin(), fault->keys.end(),
                         [&](std::string const& key) { return places_.contains(key); });
        refuse(given == fault->keys.end() ? source_name : places_.at(*given), *fault);
    }
    Configuration configuration{settings_, {}};
    for (auto const& key : schema()) {
        if (places_.contains(key.full_name())) {
            configuration.given.push_back(key.full_name());
        }
    }
    return configuration;
}

}  // namespace

Configuration parse_configuration(std::string_view toml, std::string const& source_name,
                                  std::vector<std::string> const& overrides,
                                  KnownNames const& known)
{
    Builder builder{known};
    if (auto const line = line_of_deep_key(toml)) {
        throw ConfigError{"invalid TOML syntax",
                          fmt::format("{}, line {}: a key has too many parts", source_name, *line),
                          "Correct this line."};
    }
    try {
        builder.add_file(toml::parse(toml), Source{source_name});
    } catch (toml::parse_error const& error) {
        bool const too_large =
            error.description().find("representable in 64 bits") != std::string_view::npos;
        throw ConfigError{
            "invalid TOML syntax",
            fmt::format("{}, line {}, column {}: {}", source_name, error.source().begin.line,
                        error.source().begin.column, error.description()),
            too_large ? fmt::format("Use an integer of at most {}.",
                                    std::numeric_limits<std::int64_t>::max())
                      : "Correct this line."};
    }
    for (auto const& text : overrides) {
        builder.add_override(text);
    }
    return builder.finish(source_name);
}

Settings parse_settings(std::string_view toml, std::string const& source_name,
                        std::vector<std::string> const& overrides, KnownNames const& known)
{
    return parse_configuration(toml, source_name, overrides, known).settings;
}

void validate(Settings const& settings, KnownNames const& known)
{
    for (auto const& key : schema()) {
        if (auto const fault = check_value(key, key.get(settings), known)) {
            refuse("settings", *fault);
        }
    }
    if (auto const fault = cross_check(settings, known)) {
        refuse("settings", *fault);
    }
}

}  // namespace mees

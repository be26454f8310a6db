#include "mees/config/detail/toml_value.hpp"

#include "mees/config/detail/check.hpp"
#include "mees/config/detail/names.hpp"
#include "mees/config/detail/objective_text.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mees {
namespace {

std::vector<std::string> const reward_keys{"kind", "weight", "body", "site", "point", "target"};
auto const& reward_kinds = choice_names<RewardKind>;

/// Converts nodes to C++ values; one overload per type, false if the node is of another.
struct Converter {
    Key const& key;
    Source const& source;

    bool operator()(toml::node const& node, std::int64_t& value) const
    {
        return assign(node.value_exact<std::int64_t>(), value);
    }
    bool operator()(toml::node const& node, double& value) const
    {
        if (auto const whole = node.value_exact<std::int64_t>()) {
            value = static_cast<double>(*whole);
            return true;
        }
        return assign(node.value_exact<double>(), value);
    }
    bool operator()(toml::node const& node, bool& value) const
    {
        return assign(node.value_exact<bool>(), value);
    }
    bool operator()(toml::node const& node, std::string& value) const
    {
        return assign(node.value_exact<std::string>(), value);
    }
    bool operator()(toml::node const& node, Choice& choice) const
    {
        std::string name;
        if (!(*this)(node, name)) {
            return false;
        }
        choice.names = key.access.names;
        choice.index =
            static_cast<std::size_t>(std::ranges::find(choice.names, name) - choice.names.begin());
        if (choice.index == choice.names.size()) {
            refuse(node, unknown_name(
                             key, name,
                             std::vector<std::string>{choice.names.begin(), choice.names.end()}));
        }
        return true;
    }
    bool operator()(toml::node const& node, Objective& objective) const
    {
        std::string text;
        if (!(*this)(node, text)) {
            return false;
        }
        auto const read = read_objective(key, text);
        if (auto const* fault = std::get_if<Fault>(&read)) {
            refuse(node, *fault);
        }
        objective = std::get<Objective>(read);
        return true;
    }
    bool operator()(toml::node const& node, RewardTermSettings& term) const;

    template <class T>
    bool operator()(toml::node const& node, std::vector<T>& list) const
    {
        auto const* array = node.as_array();
        if (array == nullptr) {
            return false;
        }
        list.clear();
        for (auto const& entry : *array) {
            T value{};
            if (!(*this)(entry, value)) {
                return false;
            }
            list.push_back(std::move(value));
        }
        return true;
    }

  private:
    [[noreturn]] void refuse(toml::node const& node, Fault const& fault) const
    {
        throw ConfigError{fault.problem, fmt::format("{}: {}", source.place(node), fault.why),
                          fault.remedy};
    }

    template <class T>
    static bool assign(std::optional<T> found, T& value)
    {
        if (found) {
            value = std::move(*found);
        }
        return found.has_value();
    }

    template <class T>
    void entry(toml::table const& table, std::string_view name, std::string_view type,
               T& value) const
    {
        auto const* node = table.get(name);
        if (node != nullptr && !(*this)(*node, value)) {
            throw ConfigError{
                fmt::format("invalid {} of a domain.reward", name),
                fmt::format("{}: must be {}, not {}", source.place(*node), type, kind_of(*node)),
                ""};
        }
    }
};

void check_reward_keys(toml::table const& table, Source const& source)
{
    for (auto const& [key, node] : table) {
        auto const name = std::string{key.str()};
        if (std::find(reward_keys.begin(), reward_keys.end(), name) == reward_keys.end()) {
            throw ConfigError{fmt::format("unknown key {} in a domain.reward", printable(name)),
                              fmt::format("{}: known keys are {}", source.place(node),
                                          fmt::join(reward_keys, ", ")),
                              suggestion(name, reward_keys)};
        }
    }
}

RewardKind reward_kind(std::string const& name, std::string const& place)
{
    auto const kind = choice_named<RewardKind>(name);
    if (!kind) {
        std::vector<std::string> const known{reward_kinds.begin(), reward_kinds.end()};
        throw ConfigError{name.empty() ? "missing kind of a domain.reward"
                                       : fmt::format("invalid kind = {} of a domain.reward",
                                                     printable(to_toml(Value{name}))),
                          fmt::format("{}: must be one of {}", place, fmt::join(known, ", ")),
                          name.empty()
                              ? fmt::format("Set kind to a value such as \"{}\".", known.front())
                              : suggestion(name, known)};
    }
    return *kind;
}

void check_reward_term(RewardTermSettings const& term, std::string const& place)
{
    bool const has_target = !term.site.empty() || !term.point.empty();
    bool const has_both = !term.site.empty() && !term.point.empty();
    if (term.kind == RewardKind::distance && (!has_target || has_both)) {
        throw ConfigError{"missing target of a domain.reward of kind \"distance\"",
                          fmt::format("{}: it needs either site or point, not both", place),
                          "Add site = \"NAME\" or point = [x, y]."};
    }
    if (!term.point.empty() && term.point.size() != 2 && term.point.size() != 3) {
        throw ConfigError{
            "invalid point of a domain.reward",
            fmt::format("{}: must have 2 or 3 numbers, not {}", place, term.point.size()),
            "Write point = [x, y] or point = [x, y, z]."};
    }
}

bool Converter::operator()(toml::node const& node, RewardTermSettings& term) const
{
    auto const* table = node.as_table();
    if (table == nullptr) {
        return false;
    }
    check_reward_keys(*table, source);
    std::string kind;
    entry(*table, "kind", "a string", kind);
    entry(*table, "weight", "a number", term.weight);
    entry(*table, "body", "a string", term.body);
    entry(*table, "target", "a number", term.target);
    entry(*table, "site", "a string", term.site);
    entry(*table, "point", "a list of 2 or 3 numbers", term.point);
    term.kind = reward_kind(kind, source.place(node));
    check_reward_term(term, source.place(node));
    return true;
}

}  // namespace

std::string Source::place(toml::node const& node) const
{
    return has_lines ? fmt::format("{}, line {}", name, node.source().begin.line) : name;
}

std::optional<Value> to_value(Key const& key, toml::node const& node, Source const& source)
{
    auto value = key.default_value();
    bool const converted = std::visit(
        [&](auto& target) {
            return Converter{key, source}(node, target);
        },
        value);
    return converted ? std::optional{std::move(value)} : std::nullopt;
}

std::string_view kind_of(toml::node const& node)
{
    switch (node.type()) {
        case toml::node_type::table:
            return "a table";
        case toml::node_type::array:
            return "a list";
        case toml::node_type::string:
            return "a string";
        case toml::node_type::integer:
            return "an integer";
        case toml::node_type::floating_point:
            return "a number with a decimal point or exponent";
        case toml::node_type::boolean:
            return "a boolean";
        default:
            return "a date or time";
    }
}

}  // namespace mees

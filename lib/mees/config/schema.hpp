#pragma once

#include "mees/config/known_names.hpp"
#include "mees/config/settings.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace mees {

/// An enumerator of any enumeration of choices.hpp: its position, and the enumeration's names.
struct Choice {
    std::span<std::string_view const> names;
    std::size_t index{0};

    [[nodiscard]] std::string_view name() const { return names[index]; }
    friend bool operator==(Choice const& a, Choice const& b) { return a.name() == b.name(); }
};

/// What a key of the configuration can hold.
using Value =
    std::variant<std::int64_t, double, bool, std::string, Choice, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<std::string>, std::vector<Choice>,
                 std::vector<RewardTermSettings>, std::vector<Objective>>;

/// How a key's member of the settings is read and written as a Value; always the same alternative.
struct Access {
    Value (*get)(Settings const&);
    void (*set)(Settings&, Value const&);
    std::span<std::string_view const> names{};  ///< of a choice, or of a list of choices
};

/// Bounds of a number, or of each number of a list; both belong to the range.
struct Range {
    double lower{-std::numeric_limits<double>::infinity()};
    double upper{std::numeric_limits<double>::infinity()};
};

/// A key with an owner has an effect only while the key `selector` has an effect itself and holds
/// one of `values`, or the name of a domain or an algorithm that uses `group`; with neither, while
/// `selector` is not empty.
struct Owner {
    std::string_view selector;
    std::vector<std::string_view> values{};
    std::optional<KeyGroup> group{};

    /// The values that the selector may hold, as this program knows them.
    [[nodiscard]] std::vector<std::string> names(KnownNames const& known) const;
    /// Whether the key has an effect while the selector holds `value`.
    [[nodiscard]] bool has_effect(std::string const& value, KnownNames const& known) const;
    /// The condition as people read it: "algorithm.name = me-es, memes", with `quote` around the
    /// selector.
    [[nodiscard]] std::string condition(KnownNames const& known, std::string_view quote = "") const;
};

/// Everything there is to know of one key of the configuration. Reader, writer, checks and the
/// reference page all come from this.
struct Key {
    std::string_view section;
    std::string_view name;
    Access access;
    std::string_view description;
    Range range{};
    std::string_view rule{};  ///< what else `cross_check` asks of it
    std::optional<Owner> owner{};
    bool is_path{false};  ///< names a file, relative to the configuration file

    [[nodiscard]] std::string full_name() const;
    [[nodiscard]] Value get(Settings const& settings) const { return access.get(settings); }
    [[nodiscard]] Value default_value() const { return get(Settings{}); }
    /// The value must be of the key's type.
    void set(Settings& settings, Value const& value) const { access.set(settings, value); }
};

/// All keys, in the order in which they are written.
[[nodiscard]] std::vector<Key> const& schema();
[[nodiscard]] std::vector<std::string_view> section_names();
[[nodiscard]] Key const* find_key(std::string_view section, std::string_view name);

/// "an integer", "a list of numbers", ...
[[nodiscard]] std::string_view type_name(Key const& key);
/// What the key accepts, as a phrase: "one of adam, sgd", "an integer of at least 1".
[[nodiscard]] std::string allowed_values(Key const& key);
/// "Set es.sigma to a value such as 0.02."
[[nodiscard]] std::string default_remedy(Key const& key);
/// A value as TOML writes it.
[[nodiscard]] std::string to_toml(Value const& value);
/// Whether the key holds several values.
[[nodiscard]] bool is_list(Key const& key);

namespace detail {

/// A member's type as a Value holds it, and back.
template <class T>
struct Held {
    static constexpr std::span<std::string_view const> names{};
    static Value value(T const& member) { return member; }
    static T member(Value const& value) { return std::get<T>(value); }
};
template <class T>
requires std::is_enum_v<T>
struct Held<T> {
    static constexpr std::span<std::string_view const> names{choice_names<T>};
    static Value value(T member) { return Choice{names, static_cast<std::size_t>(member)}; }
    static T member(Value const& value) { return static_cast<T>(std::get<Choice>(value).index); }
};
template <class T>
requires std::is_enum_v<T>
struct Held<std::vector<T>> {
    static constexpr std::span<std::string_view const> names{choice_names<T>};
    static Value value(std::vector<T> const& member)
    {
        std::vector<Choice> choices;
        for (auto const entry : member) {
            choices.push_back({names, static_cast<std::size_t>(entry)});
        }
        return choices;
    }
    static std::vector<T> member(Value const& value)
    {
        std::vector<T> member;
        for (auto const& entry : std::get<std::vector<Choice>>(value)) {
            member.push_back(static_cast<T>(entry.index));
        }
        return member;
    }
};

template <>
struct Held<std::vector<Objective>> {
    static constexpr std::span<std::string_view const> names{choice_names<ObjectiveKind>};
    static Value value(std::vector<Objective> const& member) { return member; }
    static std::vector<Objective> member(Value const& value)
    {
        return std::get<std::vector<Objective>>(value);
    }
};

/// What a key may have besides its name, its member and its description.
struct KeyRules {
    Range range{};
    std::string_view rule{};
    std::optional<Owner> owner{};
    bool is_path{false};
};

/// A section of the configuration; `path` leads to its members in the settings:
/// `Section<&Settings::es>{"es"}.key<&EsSettings::sigma>("sigma", "...")`.
template <auto... path>
struct Section {
    std::string_view name;

    template <auto member>
    [[nodiscard]] Key key(std::string_view key_name, std::string_view description,
                          KeyRules rules = {}) const
    {
        using Type = std::remove_cvref_t<decltype(of<member>(std::declval<Settings&>()))>;
        Access const access{
            [](Settings const& settings) { return Held<Type>::value(of<member>(settings)); },
            [](Settings& settings, Value const& value) {
                of<member>(settings) = Held<Type>::member(value);
            },
            Held<Type>::names};
        return {name,
                key_name,
                access,
                description,
                rules.range,
                rules.rule,
                std::move(rules.owner),
                rules.is_path};
    }

  private:
    template <auto member, class SomeSettings>
    static auto& of(SomeSettings& settings)
    {
        return ((settings.*....*path).*member);
    }
};

[[nodiscard]] std::vector<Key> domain_keys();
[[nodiscard]] std::vector<Key> learning_keys();
[[nodiscard]] std::vector<Key> map_keys();
[[nodiscard]] std::vector<Key> algorithm_keys();
[[nodiscard]] std::vector<Key> output_keys();

}  // namespace detail
}  // namespace mees

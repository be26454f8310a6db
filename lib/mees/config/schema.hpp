#pragma once

#include "mees/config/settings.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mees {

/// What a key of the configuration can hold.
using Value =
    std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<std::string>, std::vector<RewardTermSettings>>;

/// Finds the member that a key fills; the member's type is the key's type.
template <class T>
using Accessor = T& (*)(Settings&);
using Access =
    std::variant<Accessor<std::int64_t>, Accessor<double>, Accessor<bool>, Accessor<std::string>,
                 Accessor<std::vector<std::int64_t>>, Accessor<std::vector<double>>,
                 Accessor<std::vector<std::string>>, Accessor<std::vector<RewardTermSettings>>>;

/// Bounds of a number, or of each number of a list; both belong to the range.
struct Range {
    double lower{-std::numeric_limits<double>::infinity()};
    double upper{std::numeric_limits<double>::infinity()};
};

/// A key with an owner has an effect only while the key `selector` holds one of `values` and has an
/// effect itself.
struct Owner {
    std::string_view selector;
    std::vector<std::string_view> values;
};

/// Everything there is to know of one key of the configuration. Reader, writer, checks and the
/// reference page all come from this.
struct Key {
    std::string_view section;
    std::string_view name;
    Access access;
    std::string_view description;
    std::vector<std::string_view> allowed{};  ///< texts that it, or each of its entries, may be
    Range range{};
    std::string_view rule{};  ///< what else `cross_check` asks of it
    std::optional<Owner> owner{};
    bool is_path{false};  ///< names a file, relative to the configuration file

    [[nodiscard]] std::string full_name() const;
    [[nodiscard]] Value get(Settings const& settings) const;
    /// The value must be of the key's type.
    void set(Settings& settings, Value const& value) const;
};

/// All keys, in the order in which they are written.
[[nodiscard]] std::vector<Key> const& schema();
[[nodiscard]] std::vector<std::string_view> section_names();
[[nodiscard]] Key const* find_key(std::string_view section, std::string_view name);
[[nodiscard]] std::vector<std::string> const& built_in_domains();

/// "a whole number", "a list of numbers", ...
[[nodiscard]] std::string_view type_name(Key const& key);
/// What the key accepts, as a phrase: "one of adam, sgd", "a whole number of at least 1".
[[nodiscard]] std::string allowed_values(Key const& key);
/// "the default is 0.02".
[[nodiscard]] std::string default_phrase(Key const& key);
/// A value as TOML writes it.
[[nodiscard]] std::string to_toml(Value const& value);

namespace detail {

/// Follows pointers to members: `member<&Settings::es, &EsSettings::sigma>`.
template <auto Section, auto Member>
[[nodiscard]] auto& member(Settings& settings)
{
    return (settings.*Section).*Member;
}

[[nodiscard]] std::vector<Key> domain_keys();
[[nodiscard]] std::vector<Key> learning_keys();
[[nodiscard]] std::vector<Key> map_keys();
[[nodiscard]] std::vector<Key> algorithm_keys();
[[nodiscard]] std::vector<Key> output_keys();

}  // namespace detail
}  // namespace mees

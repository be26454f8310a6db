#include "mees/config/detail/check.hpp"

#include "mees/config/detail/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace mees {
namespace {

/// Looks into a value of any type for what the key's range forbids.
struct Finder {
    Key const& key;
    bool invalid{false};

    void operator()(bool) {}
    void operator()(Choice const&) {}
    void operator()(std::int64_t number) { check_range(static_cast<double>(number)); }
    void operator()(double number)
    {
        invalid = invalid || !std::isfinite(number);
        check_range(number);
    }
    void operator()(std::string const& text)
    {
        invalid = invalid || std::any_of(text.begin(), text.end(), [](char c) {
                      return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
                  });
    }
    void operator()(RewardTermSettings const& term)
    {
        (*this)(term.weight);
        (*this)(term.target);
        (*this)(term.body);
        (*this)(term.site);
        for (auto const number : term.point) {
            (*this)(number);
        }
    }
    void operator()(Objective const& objective)
    {
        bool any = false;
        for (auto const name : choice_names<ObjectiveKind>) {
            auto const weight = objective.weight(*choice_named<ObjectiveKind>(name));
            invalid = invalid || !std::isfinite(weight) || weight < 0;
            any = any || weight > 0;
        }
        invalid = invalid || !any;
    }
    template <class T>
    void operator()(std::vector<T> const& list)
    {
        for (auto const& entry : list) {
            (*this)(entry);
        }
    }
    void check_range(double number)
    {
        invalid = invalid || number < key.range.lower || number > key.range.upper;
    }
};

}  // namespace

Fault invalid_value(Key const& key, Value const& value)
{
    return {{key.full_name()},
            fmt::format("invalid {} = {}", key.full_name(), printable(to_toml(value))),
            fmt::format("must be {}", allowed_values(key)),
            default_remedy(key)};
}

Fault unknown_name(Key const& key, std::string const& name, std::span<std::string const> allowed)
{
    auto const shown = printable(to_toml(Value{name}));
    return {{key.full_name()},
            is_list(key) ? fmt::format("invalid entry {} of {}", shown, key.full_name())
                         : fmt::format("invalid {} = {}", key.full_name(), shown),
            fmt::format("must be one of {}", fmt::join(allowed, ", ")),
            suggestion(name, allowed)};
}

std::optional<Fault> check_value(Key const& key, Value const& value, KnownNames const& known)
{
    if (auto const names = names_of(known.of_key(key.full_name())); !names.empty()) {
        auto const& name = std::get<std::string>(value);
        if (std::ranges::find(names, name) == names.end()) {
            return unknown_name(key, name, names);
        }
    }
    Finder finder{key};
    std::visit(finder, value);
    if (finder.invalid) {
        return invalid_value(key, value);
    }
    return std::nullopt;
}

}  // namespace mees

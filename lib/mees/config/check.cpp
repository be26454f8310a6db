#include "mees/config/check.hpp"

#include "mees/config/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mees {
namespace {

/// The text that is not among the allowed ones, with the nearest that is.
struct UnknownText {
    std::string text;
    std::string remedy;
};

/// Looks into a value of any type for what the key's range or allowed texts forbid.
struct Finder {
    Key const& key;
    std::span<std::string const> allowed;
    std::optional<UnknownText> unknown{};
    bool impossible{false};

    void operator()(bool) {}
    void operator()(std::int64_t number) { check_range(static_cast<double>(number)); }
    void operator()(double number)
    {
        impossible = impossible || !std::isfinite(number);
        check_range(number);
    }
    void operator()(std::string const& text)
    {
        if (!unknown && !allowed.empty()
            && std::find(allowed.begin(), allowed.end(), text) == allowed.end()) {
            unknown = UnknownText{text, suggestion(text, allowed)};
        }
        impossible = impossible || std::any_of(text.begin(), text.end(), [](char c) {
                         return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
                     });
    }
    void operator()(RewardTermSettings const& term)
    {
        (*this)(term.weight);
        (*this)(term.body);
        (*this)(term.site);
        for (auto const number : term.point) {
            (*this)(number);
        }
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
        impossible = impossible || number < key.range.lower || number > key.range.upper;
    }
};

std::vector<std::string> allowed_texts(Key const& key, std::span<std::string const> domains)
{
    if (key.section == "domain" && key.name == "name") {
        return {domains.begin(), domains.end()};
    }
    return {key.allowed.begin(), key.allowed.end()};
}

std::string default_of(Key const& key)
{
    return fmt::format("the default is {}", to_toml(key.get(Settings{})));
}

template <class T>
bool has_twice(std::vector<T> list)
{
    std::sort(list.begin(), list.end());
    return std::adjacent_find(list.begin(), list.end()) != list.end();
}

/// The fault of breaking the rule that the schema states for a key.
Fault broken_rule(Settings const& settings, std::string_view section, std::string_view name,
                  std::vector<std::string> others = {})
{
    auto const& key = *find_key(section, name);
    std::vector<std::string> keys{key.full_name()};
    keys.insert(keys.end(), others.begin(), others.end());
    return {std::move(keys),
            fmt::format("{} = {} is impossible", key.full_name(),
                        printable(to_toml(key.get(settings)))),
            fmt::format("allowed: {}", allowed_values(key)), default_of(key)};
}

std::optional<Fault> check_map(Settings const& settings)
{
    auto const& map = settings.map;
    if (map.lower.size() != map.upper.size()) {
        return broken_rule(settings, "map", map.lower.empty() ? "lower" : "upper",
                           {"map.upper", "map.lower"});
    }
    if (!map.bins.empty() && !map.lower.empty() && map.bins.size() != map.lower.size()
        && map.type == "grid") {
        return broken_rule(settings, "map", "lower", {"map.bins"});
    }
    for (std::size_t i = 0; i < map.lower.size(); ++i) {
        double const width = map.upper[i] - map.lower[i];
        if (!(width > 0) || !std::isfinite(width)) {
            return broken_rule(settings, "map", "lower", {"map.upper"});
        }
    }
    double const cells =
        std::accumulate(map.bins.begin(), map.bins.end(), 1.0, std::multiplies<>{});
    if (cells > 1e12) {
        return broken_rule(settings, "map", "bins");
    }
    if (map.cvt_samples < map.cvt_cells) {
        return broken_rule(settings, "map", "cvt_samples", {"map.cvt_cells"});
    }
    return std::nullopt;
}

std::optional<Fault> check_own_domain(Settings const& settings)
{
    auto const& mjcf = settings.domain.mjcf;
    if (mjcf.observation.empty() || has_twice(mjcf.observation)) {
        return broken_rule(settings, "domain", "observation");
    }
    if (!(mjcf.height_lower < mjcf.height_upper)) {
        return broken_rule(settings, "domain", "height_lower", {"domain.height_upper"});
    }
    if (settings.domain.name == "mjcf" && mjcf.model.empty()) {
        return Fault{{"domain.name"},
                     "domain.model is missing",
                     "domain.name = \"mjcf\" needs a model",
                     "add model = \"FILE.xml\" to [domain]"};
    }
    if (settings.domain.name == "mjcf" && mjcf.bc == "contact_share" && mjcf.bc_geoms.empty()) {
        return Fault{{"domain.bc"},
                     "domain.bc_geoms is missing",
                     "domain.bc = \"contact_share\" counts their contacts",
                     "add bc_geoms = [\"GEOM\", ...] to [domain]"};
    }
    return std::nullopt;
}

}  // namespace

std::optional<Fault> check_value(Key const& key, Value const& value,
                                 std::span<std::string const> domains)
{
    auto const allowed = allowed_texts(key, domains);
    Finder finder{key, allowed};
    std::visit(finder, value);
    auto const shown = printable(to_toml(value));
    if (finder.unknown) {
        return Fault{{key.full_name()},
                     value.index() == 3
                         ? fmt::format("{} = {} is unknown", key.full_name(), shown)
                         : fmt::format("{} names {}, which is unknown", key.full_name(),
                                       printable(to_toml(Value{finder.unknown->text}))),
                     fmt::format("allowed: {}", fmt::join(allowed, ", ")),
                     finder.unknown->remedy};
    }
    if (finder.impossible) {
        return Fault{{key.full_name()},
                     fmt::format("{} = {} is impossible", key.full_name(), shown),
                     fmt::format("allowed: {}", allowed_values(key)),
                     default_of(key)};
    }
    return std::nullopt;
}

std::optional<Fault> cross_check(Settings const& settings)
{
    if (settings.es.population % 2 != 0) {
        return broken_rule(settings, "es", "population");
    }
    if (has_twice(settings.algorithm.objectives)) {
        return broken_rule(settings, "algorithm", "objectives");
    }
    if (auto fault = check_map(settings)) {
        return fault;
    }
    return check_own_domain(settings);
}

}  // namespace mees

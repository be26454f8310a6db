#include "mees/config/check.hpp"

#include "mees/config/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace mees {
namespace {

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
            fmt::format("allowed: {}", allowed_values(key)), default_phrase(key)};
}

std::optional<Fault> check_map(Settings const& settings)
{
    auto const& map = settings.map;
    if (map.lower.size() != map.upper.size()) {
        return broken_rule(settings, "map", map.lower.empty() ? "lower" : "upper",
                           {"map.upper", "map.lower"});
    }
    if (!map.bins.empty() && !map.lower.empty() && map.bins.size() != map.lower.size()
        && map.type == MapType::grid) {
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
    if (cells > MapSettings::most_cells) {
        return broken_rule(settings, "map", "bins");
    }
    if (map.cvt_samples < map.cvt_cells) {
        return broken_rule(settings, "map", "cvt_samples", {"map.cvt_cells"});
    }
    return std::nullopt;
}

/// What a description of one's own leaves out, or says of what it has left out.
std::optional<Fault> check_description(MjcfSettings const& mjcf)
{
    if (mjcf.model.empty()) {
        return Fault{{"domain.name"},
                     "domain.model is missing",
                     "domain.name = \"mjcf\" needs a model",
                     "add model = \"FILE.xml\" to [domain]"};
    }
    if (mjcf.bc == BehaviourKind::contact_share && mjcf.bc_geoms.empty()) {
        return Fault{{"domain.bc"},
                     "domain.bc_geoms is missing",
                     "domain.bc = \"contact_share\" counts their contacts",
                     "add bc_geoms = [\"GEOM\", ...] to [domain]"};
    }
    MjcfSettings const defaults;
    if (mjcf.height_body.empty()
        && (mjcf.height_lower != defaults.height_lower
            || mjcf.height_upper != defaults.height_upper)) {
        return Fault{{"domain.height_lower", "domain.height_upper"},
                     "domain.height_body is missing",
                     "domain.height_lower and domain.height_upper are bounds of its height",
                     "add height_body = \"BODY\" to [domain]"};
    }
    if (mjcf.observation_skip > 0
        && std::ranges::find(mjcf.observation, ObservationPart::qpos) == mjcf.observation.end()) {
        return Fault{{"domain.observation_skip", "domain.observation"},
                     fmt::format("domain.observation_skip = {} has nothing to leave out",
                                 mjcf.observation_skip),
                     "it counts coordinates of qpos, and domain.observation does not name qpos",
                     "remove it, or add \"qpos\" to domain.observation"};
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
    if (has_twice(mjcf.bc_geoms)) {
        return broken_rule(settings, "domain", "bc_geoms");
    }
    return settings.domain.name == "mjcf" ? check_description(mjcf) : std::nullopt;
}

}  // namespace

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

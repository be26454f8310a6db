#include "mees/config/bounds.hpp"
#include "mees/config/detail/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace mees {
namespace {

template <class T>
bool has_duplicates(std::vector<T> list)
{
    std::sort(list.begin(), list.end());
    return std::adjacent_find(list.begin(), list.end()) != list.end();
}

/// The fault of breaking the rule that the schema states for a key.
Fault broken_rule(Settings const& settings, std::string_view section, std::string_view name,
                  std::vector<std::string> const& others = {})
{
    auto const& key = *find_key(section, name);
    auto fault = invalid_value(key, key.get(settings));
    fault.keys.insert(fault.keys.end(), others.begin(), others.end());
    return fault;
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
    if (grid_cells(map.bins) > MapSettings::most_cells) {
        return broken_rule(settings, "map", "bins");
    }
    if (map.cvt_samples < map.cvt_cells) {
        auto fault = broken_rule(settings, "map", "cvt_samples", {"map.cvt_cells"});
        fault.remedy = fmt::format("Set map.cvt_samples to at least {}, better to {}.",
                                   map.cvt_cells, 5 * map.cvt_cells);
        return fault;
    }
    return std::nullopt;
}

std::optional<Fault> check_es(Settings const& settings)
{
    auto const& es = settings.es;
    if (es.population % 2 != 0) {
        return broken_rule(settings, "es", "population");
    }
    if (es.paired_seeds != (es.seeds == SharedSeeds::pair)) {
        return Fault{{"es.paired_seeds", "es.seeds"},
                     fmt::format("es.paired_seeds = {} contradicts es.seeds = \"{}\"",
                                 es.paired_seeds, name_of(es.seeds)),
                     "paired_seeds = true is another spelling of seeds = \"pair\"",
                     "Remove one of the two keys."};
    }
    if (es.sigma_limit > es.sigma) {
        return broken_rule(settings, "es", "sigma_limit", {"es.sigma"});
    }
    if (es.learning_rate_limit > es.learning_rate) {
        return broken_rule(settings, "es", "learning_rate_limit", {"es.learning_rate"});
    }
    if (settings.algorithm.confirm_offspring > es.population) {
        return broken_rule(settings, "algorithm", "confirm_offspring", {"es.population"});
    }
    if (auto const& algorithm = settings.algorithm;
        algorithm.confirm_margin > 0
        && (algorithm.confirm_offspring == 0 || algorithm.n_eval < 2)) {
        return broken_rule(settings, "algorithm", "confirm_margin",
                           {"algorithm.confirm_offspring", "algorithm.n_eval"});
    }
    return std::nullopt;
}

/// Whether the algorithm, if it is known, has objectives of this kind and uses them.
bool pursues(AlgorithmSettings const& settings, KnownNames const& known,
             bool (Objective::*kind)() const)
{
    auto const found = std::ranges::find(known.algorithms, settings.name, &KnownName::name);
    return found != known.algorithms.end() && (!found->uses || found->names(KeyGroup::modes))
           && std::ranges::any_of(settings.objectives, kind);
}

/// BCs that also differ by their initial states are not compared.
std::optional<Fault> check_objectives(Settings const& settings, KnownNames const& known)
{
    std::vector<Objective> normalised;
    std::ranges::transform(settings.algorithm.objectives, std::back_inserter(normalised),
                           &Objective::normalised);
    if (has_duplicates(std::move(normalised))) {
        return broken_rule(settings, "algorithm", "objectives");
    }
    if (settings.es.population < 4 && settings.es.steps_per_generation == 0
        && pursues(settings.algorithm, known, &Objective::compares_offspring)) {
        return Fault{{"es.population", "algorithm.objectives"},
                     fmt::format("invalid es.population = {}", settings.es.population),
                     "an objective compares the BCs of offspring, and those of a single pair are "
                     "equally far from their mean",
                     "Set es.population to at least 4."};
    }
    if (settings.es.seeds != SharedSeeds::generation
        && needs_same_states(settings.algorithm, known)) {
        return Fault{{"es.seeds", "es.paired_seeds", "algorithm.objectives"},
                     fmt::format("invalid es.seeds = \"{}\"", name_of(settings.es.seeds)),
                     "max-var and max-ent of algorithm.objectives need offspring that start from "
                     "the same states",
                     "Remove it, or set es.seeds to \"generation\"."};
    }
    return std::nullopt;
}

bool uses(MjcfSettings const& mjcf, BehaviourKind kind)
{
    return mjcf.bc == kind || std::ranges::find(mjcf.bc_extra, kind) != mjcf.bc_extra.end();
}

/// A body or a bound of an end that has no effect without the other.
std::optional<Fault> check_ends(MjcfSettings const& mjcf)
{
    MjcfSettings const defaults;
    auto const half = [](char const* body, char const* bound, bool has_body, bool has_bound) {
        auto const* missing = has_body ? bound : body;
        auto const* given = has_body ? body : bound;
        return has_body == has_bound
                   ? std::nullopt
                   : std::optional{Fault{{fmt::format("domain.{}", given)},
                                         fmt::format("missing domain.{}", missing),
                                         fmt::format("domain.{} has no effect without it", given),
                                         fmt::format("Add {} to [domain].", missing)}};
    };
    auto fault = half("tilt_body", "tilt_upper", !mjcf.tilt_body.empty(),
                      mjcf.tilt_upper != defaults.tilt_upper);
    return fault ? fault
                 : half("range_body", "range_upper", !mjcf.range_body.empty(),
                        mjcf.range_upper != defaults.range_upper);
}

/// What the description of a user-defined domain lacks or contradicts.
std::optional<Fault> check_description(DomainSettings const& domain)
{
    auto const& mjcf = domain.mjcf;
    if (mjcf.model.empty()) {
        return Fault{{"domain.name"},
                     "missing domain.model",
                     fmt::format("domain.name = \"{}\" needs a model", domain.name),
                     "Add model = \"FILE.xml\" to [domain]."};
    }
    if (uses(mjcf, BehaviourKind::contact_share) && mjcf.bc_geoms.empty()) {
        return Fault{{"domain.bc", "domain.bc_extra"},
                     "missing domain.bc_geoms",
                     "domain.bc = \"contact_share\" counts their contacts",
                     "Add bc_geoms = [\"GEOM\", ...] to [domain]."};
    }
    MjcfSettings const defaults;
    if (mjcf.height_body.empty()
        && (mjcf.height_lower != defaults.height_lower
            || mjcf.height_upper != defaults.height_upper)) {
        return Fault{{"domain.height_lower", "domain.height_upper"},
                     "missing domain.height_body",
                     "domain.height_lower and domain.height_upper are bounds of its height",
                     "Add height_body = \"BODY\" to [domain]."};
    }
    if (mjcf.observation_skip > 0
        && std::ranges::find(mjcf.observation, ObservationPart::qpos) == mjcf.observation.end()) {
        return Fault{{"domain.observation_skip", "domain.observation"},
                     fmt::format("invalid domain.observation_skip = {}", mjcf.observation_skip),
                     "it counts coordinates of qpos, which domain.observation does not contain",
                     "Remove it, or add \"qpos\" to domain.observation."};
    }
    return check_ends(mjcf);
}

/// What an environment in another process lacks.
std::optional<Fault> check_process(DomainSettings const& domain)
{
    auto const& command = domain.process.command;
    bool const named = !command.empty() && !command.front().empty();
    bool const c_strings = std::ranges::all_of(
        command, [](std::string const& word) { return word.find('\0') == std::string::npos; });
    if (!named || !c_strings) {
        return Fault{
            {"domain.name", "domain.command"},
            named ? "invalid domain.command" : "missing domain.command",
            named ? "it contains a zero byte"
                  : fmt::format("domain.name = \"{}\" needs a program to start", domain.name),
            "Add command = [\"PROGRAM\", \"ARGUMENT\", ...] to [domain]."};
    }
    return std::nullopt;
}

std::optional<Fault> check_mjcf_domain(Settings const& settings)
{
    auto const& mjcf = settings.domain.mjcf;
    if (mjcf.observation.empty() || has_duplicates(mjcf.observation)) {
        return broken_rule(settings, "domain", "observation");
    }
    if (!(mjcf.height_lower < mjcf.height_upper)) {
        return broken_rule(settings, "domain", "height_lower", {"domain.height_upper"});
    }
    for (auto const& [name, broken] : {std::pair{"bc_geoms", has_duplicates(mjcf.bc_geoms)},
                                       std::pair{"end_geoms", has_duplicates(mjcf.end_geoms)},
                                       std::pair{"bc_names", has_duplicates(mjcf.bc_names)},
                                       std::pair{"bc_extra", has_duplicates(mjcf.bc_extra)}}) {
        if (broken) {
            return broken_rule(settings, "domain", name);
        }
    }
    return std::nullopt;
}

/// The BCs that a built-in domain has: its own, contact shares, which the default stands for, and
/// the displacement.
std::optional<Fault> check_built_in_bc(DomainSettings const& domain)
{
    auto const bc = domain.mjcf.bc;
    if (bc == MjcfSettings{}.bc || bc == BehaviourKind::contact_share
        || bc == BehaviourKind::displacement) {
        return std::nullopt;
    }
    return Fault{
        {"domain.bc"},
        fmt::format("invalid domain.bc = \"{}\" of the domain {}", name_of(bc), domain.name),
        "its BC is that of contacts or the displacement",
        "Remove it, or use \"displacement\"."};
}

/// What the chosen domain needs.
std::optional<Fault> check_domain(DomainSettings const& domain, KnownNames const& known)
{
    auto const found = std::ranges::find(known.domains, domain.name, &KnownName::name);
    if (found == known.domains.end()) {
        return std::nullopt;
    }
    if (found->names(KeyGroup::process)) {
        return check_process(domain);
    }
    if (found->names(KeyGroup::mjcf)) {
        return check_description(domain);
    }
    return found->names(KeyGroup::behaviour) ? check_built_in_bc(domain) : std::nullopt;
}

}  // namespace

bool needs_same_states(AlgorithmSettings const& settings, KnownNames const& known)
{
    return pursues(settings, known, &Objective::needs_same_states);
}

std::optional<Fault> cross_check(Settings const& settings, KnownNames const& known)
{
    if (auto fault = check_es(settings)) {
        return fault;
    }
    if (settings.policy.hidden.size() > bounds::hidden_layers) {
        return broken_rule(settings, "policy", "hidden");
    }
    if (has_duplicates(settings.domain.training_without)) {
        return broken_rule(settings, "domain", "training_without");
    }
    if (auto fault = check_objectives(settings, known)) {
        return fault;
    }
    if (auto fault = check_map(settings)) {
        return fault;
    }
    if (auto fault = check_mjcf_domain(settings)) {
        return fault;
    }
    return check_domain(settings.domain, known);
}

}  // namespace mees

#include "mees/sim/detail/mjcf_description.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace mees {
namespace {

int body_or_first(mjModel const& model, std::string const& name)
{
    return name.empty() ? 1 : find_id(model, mjOBJ_BODY, name, "body");
}

RewardTerm describe_term(mjModel const& model, RewardTermSettings const& settings)
{
    RewardTerm term{.kind = settings.kind,
                    .weight = settings.weight,
                    .body = body_or_first(model, settings.body)};
    if (term.kind != RewardKind::distance) {
        return term;
    }
    bool const has_point = settings.point.size() == 2 || settings.point.size() == 3;
    if (settings.site.empty() != has_point) {
        throw ConfigError{"missing target of a domain.reward of the kind \"distance\"",
                          "it needs either a site or a point of 2 or 3 numbers",
                          "Add site = \"NAME\" or point = [x, y]."};
    }
    if (has_point) {
        std::copy(settings.point.begin(), settings.point.end(), term.point.begin());
        term.dimensions = static_cast<int>(settings.point.size());
    } else {
        term.site = find_id(model, mjOBJ_SITE, settings.site, "site");
    }
    return term;
}

void describe_behaviour(mjModel const& model, MjcfSettings const& settings,
                        MjcfDescription& description)
{
    description.behaviour = settings.bc;
    description.bc_body = body_or_first(model, settings.bc_body);
    if (description.behaviour != BehaviourKind::contact_share) {
        return;
    }
    if (settings.bc_geoms.empty()) {
        throw ConfigError{"missing domain.bc_geoms for domain.bc = \"contact_share\"",
                          "each of them is a dimension of the map",
                          "Name the geoms that touch the floor, such as the feet."};
    }
    description.floor = find_id(model, mjOBJ_GEOM, settings.floor_geom, "geom");
    for (auto const& name : settings.bc_geoms) {
        description.bc_geoms.push_back(find_id(model, mjOBJ_GEOM, name, "geom"));
    }
}

void check_model(mjModel const& model, MjcfSettings const& settings)
{
    if (model.nu == 0 || model.nbody < 2) {
        throw ConfigError{fmt::format("cannot control the model {}", settings.model),
                          "it has no moving body or no motor", "Add <actuator> elements to it."};
    }
    if (settings.reward.empty()) {
        throw ConfigError{"missing reward of the domain \"mjcf\"", "fitness is the sum of rewards",
                          "Add a table [[domain.reward]] with kind = \"forward_velocity\"."};
    }
    if (settings.observation_skip > model.nq) {
        throw ConfigError{
            fmt::format("invalid domain.observation_skip = {}", settings.observation_skip),
            fmt::format("the model's qpos has {} entries", model.nq), "Skip fewer."};
    }
}

std::int64_t size_of(ObservationPart part, mjModel const& model, std::int64_t skip)
{
    switch (part) {
        case ObservationPart::qpos:
            return model.nq - skip;
        case ObservationPart::qvel:
        case ObservationPart::qfrc_actuator:
            return model.nv;
        case ObservationPart::cinert:
            return 10 * model.nbody;
        case ObservationPart::cvel:
        case ObservationPart::cfrc_ext:
            break;
    }
    return 6 * model.nbody;
}

}  // namespace

MjcfDescription describe_mjcf(mjModel const& model, DomainSettings const& settings)
{
    auto const& own = settings.mjcf;
    check_model(model, own);
    MjcfDescription description;
    description.observation = own.observation;
    auto const& parts = description.observation;
    description.rules = {
        .frame_skip = static_cast<int>(own.frame_skip),
        .reset_noise = own.reset_noise,
        .contact_forces =
            std::find(parts.begin(), parts.end(), ObservationPart::cfrc_ext) != parts.end(),
        .terminate = settings.terminate};
    description.observation_skip = own.observation_skip;
    for (auto const& term : own.reward) {
        description.reward.push_back(describe_term(model, term));
    }
    if (!own.height_body.empty()) {
        description.height_body = find_id(model, mjOBJ_BODY, own.height_body, "body");
    }
    description.height_lower = own.height_lower;
    description.height_upper = own.height_upper;
    describe_behaviour(model, own, description);
    return description;
}

TaskSpec spec_of(mjModel const& model, MjcfDescription const& description,
                 DomainSettings const& settings)
{
    TaskSpec spec{.name = "mjcf",
                  .action_size = model.nu,
                  .episode_steps = episode_steps(settings, 1000),
                  .seconds_per_step = description.rules.frame_skip * model.opt.timestep};
    for (auto const part : description.observation) {
        spec.observation_size += size_of(part, model, description.observation_skip);
    }
    if (spec.observation_size == 0) {
        std::vector<std::string_view> parts;
        for (auto const part : settings.mjcf.observation) {
            parts.push_back(name_of(part));
        }
        throw ConfigError{
            "empty observation of the domain \"mjcf\"",
            fmt::format("domain.observation = {} without the first {} positions has no entry",
                        fmt::join(parts, ", "), description.observation_skip),
            "Decrease domain.observation_skip, or observe more, such as qvel."};
    }
    for (auto const& term : settings.mjcf.reward) {
        spec.reward_terms.emplace_back(name_of(term.kind));
    }
    bool const share = description.behaviour == BehaviourKind::contact_share;
    bool const velocity = description.behaviour == BehaviourKind::mean_velocity;
    spec.bc_names = share ? settings.mjcf.bc_geoms
                          : std::vector<std::string>{velocity ? "vx" : "x", velocity ? "vy" : "y"};
    double const reach = velocity ? 5 : 10;
    spec.bc_lower.assign(spec.bc_names.size(), share ? 0 : -reach);
    spec.bc_upper.assign(spec.bc_names.size(), share ? 1 : reach);
    spec.bc_bins.assign(spec.bc_names.size(), 10);
    return spec;
}

}  // namespace mees

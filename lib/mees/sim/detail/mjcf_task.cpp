#include "mees/sim/detail/mjcf_task.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mees {

std::string body_or_first(mjModel const& model, std::string const& name)
{
    if (!name.empty()) {
        static_cast<void>(find_id(model, mjOBJ_BODY, name, "body"));
        return name;
    }
    auto const* first = mj_id2name(&model, mjOBJ_BODY, 1);
    return first != nullptr && *first != 0 ? first : "#1";
}

Quantity position_of(std::string body, std::vector<std::int64_t> index)
{
    Quantity position;
    position.source = QuantitySource::position;
    position.body = std::move(body);
    position.index = std::move(index);
    return position;
}

Quantity part_of_body(QuantitySource source, std::string body, std::vector<std::int64_t> index)
{
    auto quantity = position_of(std::move(body), std::move(index));
    quantity.source = source;
    return quantity;
}

namespace {

Quantity source_of(mjModel const& model, ObservationPart part, MjcfSettings const& settings)
{
    auto const body = body_or_first(model, settings.observation_body);
    Quantity quantity;
    switch (part) {
        case ObservationPart::qpos:
            quantity.source = QuantitySource::qpos;
            quantity.first = settings.observation_skip;
            break;
        case ObservationPart::qvel:
            quantity.source = QuantitySource::qvel;
            break;
        case ObservationPart::cinert:
            quantity.source = QuantitySource::cinert;
            break;
        case ObservationPart::cvel:
            quantity.source = QuantitySource::cvel;
            break;
        case ObservationPart::qfrc_actuator:
            quantity.source = QuantitySource::qfrc_actuator;
            break;
        case ObservationPart::cfrc_ext:
            quantity.source = QuantitySource::cfrc_ext;
            break;
        case ObservationPart::sensordata:
            quantity.source = QuantitySource::sensordata;
            break;
        case ObservationPart::subtree_com:
            return part_of_body(QuantitySource::subtree_com, body, {});
        case ObservationPart::orientation:
            return part_of_body(QuantitySource::orientation, body, {});
    }
    return quantity;
}

Measure distance_of(mjModel const& model, RewardTermSettings const& term)
{
    auto const size = term.point.size();
    bool const has_point = size == 2 || size == 3;
    if (term.site.empty() != has_point) {
        throw ConfigError{"missing target of a domain.reward of the kind \"distance\"",
                          "it needs either a site or a point of 2 or 3 numbers",
                          "Add site = \"NAME\" or point = [x, y]."};
    }
    Measure measure{.kind = MeasureKind::distance};
    measure.quantity = position_of(
        body_or_first(model, term.body),
        size == 2 ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{0, 1, 2});
    measure.point = term.point;
    measure.target_site = term.site;
    return measure;
}

/// How the numbers of the kinds come about; a cost has a negative weight.
Measure measure_of(mjModel const& model, RewardTermSettings const& term)
{
    auto const body = body_or_first(model, term.body);
    switch (term.kind) {
        case RewardKind::forward_velocity:
            return {.kind = MeasureKind::rate, .quantity = position_of(body, {0})};
        case RewardKind::target_speed:
            return {.kind = MeasureKind::rate,
                    .quantity = position_of(body, {0}),
                    .target = term.target};
        case RewardKind::lateral_cost:
            return {.kind = MeasureKind::rate, .quantity = position_of(body, {1}), .target = 0};
        case RewardKind::heading:
            return {.kind = MeasureKind::sum,
                    .quantity = part_of_body(QuantitySource::rotation, body, {0})};
        case RewardKind::upright:
            return {.kind = MeasureKind::sum,
                    .quantity = part_of_body(QuantitySource::rotation, body, {8})};
        case RewardKind::height:
            return {.kind = MeasureKind::sum, .quantity = position_of(body, {2})};
        case RewardKind::control_cost:
            return {.kind = MeasureKind::squares, .quantity = {.source = QuantitySource::action}};
        case RewardKind::energy_cost:
            return {.kind = MeasureKind::sum, .quantity = {.source = QuantitySource::power}};
        case RewardKind::distance:
            return distance_of(model, term);
        case RewardKind::alive:
            break;
    }
    return {.kind = MeasureKind::constant};
}

bool is_cost(RewardKind kind)
{
    return kind == RewardKind::target_speed || kind == RewardKind::lateral_cost
           || kind == RewardKind::control_cost || kind == RewardKind::energy_cost
           || kind == RewardKind::distance;
}

RewardPart reward_of(mjModel const& model, RewardTermSettings const& term)
{
    return {.name = std::string{name_of(term.kind)},
            .measure = measure_of(model, term),
            .weight = is_cost(term.kind) ? -term.weight : term.weight};
}

EndPart limit(Measure measure, std::optional<double> lower, std::optional<double> upper)
{
    return {.measure = std::move(measure), .lower = lower, .upper = upper};
}

std::vector<EndPart> ends_of(mjModel const& model, MjcfSettings const& settings)
{
    std::vector<EndPart> ends;
    if (!settings.height_body.empty()) {
        ends.push_back(
            limit({.kind = MeasureKind::sum,
                   .quantity = position_of(body_or_first(model, settings.height_body), {2})},
                  settings.height_lower, settings.height_upper));
    }
    if (!settings.tilt_body.empty()) {
        auto const cosine = std::cos(settings.tilt_upper * std::numbers::pi / 180);
        ends.push_back(
            limit({.kind = MeasureKind::sum,
                   .quantity = part_of_body(QuantitySource::rotation,
                                            body_or_first(model, settings.tilt_body), {8})},
                  cosine, {}));
    }
    if (!settings.end_geoms.empty()) {
        Quantity contact{.source = QuantitySource::contact};
        contact.geoms = settings.end_geoms;
        contact.with = settings.floor_geom;
        ends.push_back(limit({.kind = MeasureKind::sum, .quantity = contact}, {}, 0.5));
    }
    if (!settings.range_body.empty()) {
        Measure distance{
            .kind = MeasureKind::distance,
            .quantity = position_of(body_or_first(model, settings.range_body), {0, 1})};
        distance.point = {0, 0};
        ends.push_back(limit(std::move(distance), {}, settings.range_upper));
    }
    return ends;
}

/// Maps -1..1 to the control range of each motor that has one.
void map_actions(mjModel const& model, ActionMapping mapping, TaskDescription& task)
{
    bool others = false;
    for (int motor = 0; motor < model.nu; ++motor) {
        bool const limited = model.actuator_ctrllimited[motor] != 0;
        auto const* range = model.actuator_ctrlrange + 2 * motor;
        double const lower = limited ? range[0] : -1;
        double const upper = limited ? range[1] : 1;
        task.action_offset.push_back((lower + upper) / 2);
        task.action_scale.push_back((upper - lower) / 2);
        others = others || lower != -1 || upper != 1;
    }
    if (mapping == ActionMapping::raw || (mapping == ActionMapping::automatic && !others)) {
        task.action_offset.clear();
        task.action_scale.clear();
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
    bool const only_positions = settings.observation == std::vector{ObservationPart::qpos};
    if (only_positions && settings.observation_skip == model.nq) {
        throw ConfigError{"empty observation of the domain \"mjcf\"",
                          fmt::format("domain.observation = qpos without the first {} positions "
                                      "has no entry",
                                      settings.observation_skip),
                          "Decrease domain.observation_skip, or observe more, such as qvel."};
    }
}

}  // namespace

TaskDescription describe_mjcf(mjModel const& model, DomainSettings const& settings)
{
    auto const& own = settings.mjcf;
    check_model(model, own);
    TaskDescription task;
    task.name = "mjcf";
    task.frame_skip = own.frame_skip;
    task.keyframe = own.start;
    task.noise = own.reset_noise;
    map_actions(model, own.action, task);
    for (auto const part : own.observation) {
        task.observation.push_back(source_of(model, part, own));
        task.contact_forces = task.contact_forces || part == ObservationPart::cfrc_ext;
    }
    for (auto const& term : own.reward) {
        task.reward.push_back(reward_of(model, term));
    }
    task.end = ends_of(model, own);
    task.bc = behaviour_of(model, own);
    return task;
}

}  // namespace mees

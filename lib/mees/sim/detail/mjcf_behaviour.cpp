#include "mees/core/error.hpp"
#include "mees/sim/detail/mjcf_task.hpp"

#include <fmt/ranges.h>

#include <numbers>
#include <set>
#include <utility>

namespace mees {
namespace {

BehaviourPart contact_share(MjcfSettings const& settings)
{
    if (settings.bc_geoms.empty()) {
        throw ConfigError{"missing domain.bc_geoms for domain.bc = \"contact_share\"",
                          "each of them is a dimension of the map",
                          "Name the geoms that touch the floor, such as the feet."};
    }
    BehaviourPart bc{.kind = CharacterKind::mean, .quantity = {}, .names = settings.bc_geoms};
    bc.quantity.source = QuantitySource::contact;
    bc.quantity.geoms = settings.bc_geoms;
    bc.quantity.with = settings.floor_geom;
    bc.lower.assign(bc.names.size(), 0);
    bc.upper.assign(bc.names.size(), 1);
    bc.bins.assign(bc.names.size(), 10);
    return bc;
}

/// An axis of the map and its default bounds.
struct Axis {
    std::string name;
    double lower;
    double upper;
};

BehaviourPart part_of(CharacterKind kind, Quantity quantity, std::vector<Axis> const& axes)
{
    BehaviourPart part{.kind = kind, .quantity = std::move(quantity)};
    for (auto const& axis : axes) {
        part.names.push_back(axis.name);
        part.lower.push_back(axis.lower);
        part.upper.push_back(axis.upper);
    }
    part.bins.assign(axes.size(), 10);
    if (kind == CharacterKind::relative) {
        part.bins = {10, 10, 1, 1};  // the turn is stored, but does not divide the map
    }
    return part;
}

std::vector<BehaviourPart> parts_of(BehaviourKind kind, mjModel const& model,
                                    MjcfSettings const& settings)
{
    using enum CharacterKind;
    constexpr double pi = std::numbers::pi;
    auto const body = body_or_first(model, settings.bc_body);
    auto const angles = [&](std::vector<std::int64_t> index) {
        return part_of_body(QuantitySource::angles, body, std::move(index));
    };
    switch (kind) {
        case BehaviourKind::contact_share:
            return {contact_share(settings)};
        case BehaviourKind::final_position:
            return {
                part_of(final_value, position_of(body, {0, 1}), {{"x", -10, 10}, {"y", -10, 10}})};
        case BehaviourKind::final_xz:
            return {part_of(final_value, position_of(body, {0, 2}), {{"x", -10, 10}, {"z", 0, 2}})};
        case BehaviourKind::mean_velocity:
            return {part_of(velocity, position_of(body, {0, 1}), {{"vx", -5, 5}, {"vy", -5, 5}})};
        case BehaviourKind::mean_orientation:
            return {
                part_of(mean, angles({0, 1, 2}),
                        {{"roll", -pi / 2, pi / 2}, {"pitch", -pi / 2, pi / 2}, {"yaw", -pi, pi}})};
        case BehaviourKind::mean_height:
            return {part_of(mean, position_of(body, {2}), {{"height", 0, 2}})};
        case BehaviourKind::displacement:
            return {displacement_of(body)};
        case BehaviourKind::displacement_heading:
            break;
    }
    return {part_of(displacement, position_of(body, {0, 1}), {{"dx", -10, 10}, {"dy", -10, 10}}),
            part_of(final_value, angles({2}), {{"heading", -pi, pi}})};
}

/// The names that the settings give to all values together.
void rename(std::vector<BehaviourPart>& parts, std::vector<std::string> const& names)
{
    std::size_t used = 0;
    std::set<std::string> distinct;
    for (auto& part : parts) {
        for (auto& name : part.names) {
            name = used < names.size() ? names[used] : name;
            distinct.insert(name);
            ++used;
        }
    }
    if (distinct.size() != used) {
        throw ConfigError{"two values of the BC have the same name",
                          fmt::format("there are {}", fmt::join(distinct, ", ")),
                          "Remove a kind from domain.bc_extra, or set domain.bc_names."};
    }
    if (!names.empty() && names.size() != used) {
        throw ConfigError{
            "invalid domain.bc_names",
            fmt::format("the BC has {} values, there are {} names", used, names.size()),
            "Name each of them."};
    }
}

}  // namespace

BehaviourPart displacement_of(std::string body)
{
    return part_of(CharacterKind::relative,
                   part_of_body(QuantitySource::ground_pose, std::move(body), {}),
                   {{"dx", -5, 5}, {"dy", -5, 5}, {"cos_turn", -1, 1}, {"sin_turn", -1, 1}});
}

std::vector<BehaviourPart> behaviour_of(mjModel const& model, MjcfSettings const& settings)
{
    auto kinds = settings.bc_extra;
    kinds.insert(kinds.begin(), settings.bc);
    std::vector<BehaviourPart> parts;
    for (auto const kind : kinds) {
        for (auto& part : parts_of(kind, model, settings)) {
            parts.push_back(std::move(part));
        }
    }
    rename(parts, settings.bc_names);
    return parts;
}

}  // namespace mees

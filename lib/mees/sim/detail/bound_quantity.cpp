#include "mees/sim/detail/bound_quantity.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mees {
namespace {

using Source = QuantitySource;

std::size_t size_from(auto count)
{
    return static_cast<std::size_t>(count);
}

ConfigError misfit(Source source, std::string const& why)
{
    return {fmt::format("invalid entries of {}", name_of(source)), why,
            "Choose entries that the model has."};
}

/// Roll, pitch and yaw of a rotation matrix.
double angle(double const* r, std::size_t axis)
{
    switch (axis) {
        case 0:
            return std::atan2(r[7], r[8]);
        case 1:
            return std::asin(std::clamp(-r[6], -1.0, 1.0));
        default:
            return std::atan2(r[3], r[0]);
    }
}

/// x, y, and the cosine and sine of the direction of the body's x axis on the ground; of an x axis
/// that points straight up or down, 1 and 0.
double ground_pose(double const* position, double const* r, std::size_t entry)
{
    if (entry < 2) {
        return position[entry];
    }
    double const length = std::sqrt(r[0] * r[0] + r[3] * r[3]);
    if (length == 0) {
        return entry == 2 ? 1 : 0;
    }
    return (entry == 2 ? r[0] : r[3]) / length;
}

}  // namespace

BoundQuantity::BoundQuantity(mjModel const& model, Quantity const& quantity)
    : source_{quantity.source},
      scale_{quantity.scale},
      clip_{quantity.clip},
      total_mass_{std::accumulate(model.body_mass, model.body_mass + model.nbody, 0.0)}
{
    bind_names(model, quantity);
    choose_entries(model, quantity);
    offset_ = quantity.offset;
    if (offset_.size() == 1) {
        offset_.resize(size_, offset_.front());
    }
    if (!offset_.empty() && offset_.size() != size_) {
        throw misfit(source_, fmt::format("{} offsets for {} entries", offset_.size(), size_));
    }
}

void BoundQuantity::bind_names(mjModel const& model, Quantity const& quantity)
{
    if (!quantity.body.empty()) {
        id_ = size_from(find_numbered_id(model, mjOBJ_BODY, quantity.body, "body"));
    }
    if (!quantity.site.empty()) {
        id_ = size_from(find_numbered_id(model, mjOBJ_SITE, quantity.site, "site"));
    }
    if (!quantity.with.empty()) {
        with_ = find_numbered_id(model, mjOBJ_GEOM, quantity.with, "geom");
    }
    for (auto const& geom : quantity.geoms) {
        geoms_.push_back(find_numbered_id(model, mjOBJ_GEOM, geom, "geom"));
    }
}

void BoundQuantity::choose_entries(mjModel const& model, Quantity const& quantity)
{
    auto const all = source_size(model);
    first_ = size_from(quantity.first);
    size_ = quantity.count ? size_from(*quantity.count) : all - std::min(first_, all);
    index_.assign(quantity.index.begin(), quantity.index.end());
    auto const last = index_.empty() ? first_ + size_ : *std::ranges::max_element(index_) + 1;
    if (last > all) {
        throw misfit(source_, fmt::format("it has {} entries, {} are needed", all, last));
    }
    if (!index_.empty()) {
        size_ = index_.size();
    }
}

std::size_t BoundQuantity::source_size(mjModel const& model) const
{
    switch (source_) {
        case Source::qpos:
            return size_from(model.nq);
        case Source::qvel:
        case Source::qfrc_actuator:
            return size_from(model.nv);
        case Source::action:
        case Source::power:
            return size_from(model.nu);
        case Source::cinert:
            return size_from(10 * model.nbody);
        case Source::cvel:
        case Source::cfrc_ext:
            return size_from(6 * model.nbody);
        case Source::sensordata:
            return size_from(model.nsensordata);
        case Source::orientation:
        case Source::ground_pose:
            return 4;
        case Source::rotation:
            return 9;
        case Source::position:
        case Source::angles:
        case Source::subtree_com:
        case Source::com:
        case Source::site:
            return 3;
        case Source::contact:
            return geoms_.size();
    }
    contract_violated("a known source");
}

/// Null for what is computed.
double const* BoundQuantity::stored(StateView const& state) const
{
    auto const& data = state.data;
    switch (source_) {
        case Source::qpos:
            return data.qpos;
        case Source::qvel:
            return data.qvel;
        case Source::action:
            return state.action.data();
        case Source::cinert:
            return data.cinert;
        case Source::cvel:
            return data.cvel;
        case Source::cfrc_ext:
            return data.cfrc_ext;
        case Source::qfrc_actuator:
            return data.qfrc_actuator;
        case Source::sensordata:
            return data.sensordata;
        case Source::position:
            return data.xpos + 3 * id_;
        case Source::orientation:
            return data.xquat + 4 * id_;
        case Source::rotation:
            return data.xmat + 9 * id_;
        case Source::subtree_com:
            return data.subtree_com + 3 * id_;
        case Source::site:
            return data.site_xpos + 3 * id_;
        case Source::power:
        case Source::angles:
        case Source::com:
        case Source::contact:
        case Source::ground_pose:
            break;
    }
    return nullptr;
}

double BoundQuantity::computed(StateView const& state, std::size_t entry) const
{
    auto const& data = state.data;
    switch (source_) {
        case Source::power:
            return std::abs(data.actuator_force[entry] * data.actuator_velocity[entry]);
        case Source::angles:
            return angle(data.xmat + 9 * id_, entry);
        case Source::com:
            return centre_of_mass(state, entry);
        case Source::ground_pose:
            return ground_pose(data.xpos + 3 * id_, data.xmat + 9 * id_, entry);
        default:
            return touches(data, geoms_[entry]) ? 1 : 0;
    }
}

double BoundQuantity::centre_of_mass(StateView const& state, std::size_t axis) const
{
    double moment = 0;
    for (std::size_t body = 0; body < size_from(state.model.nbody); ++body) {
        moment += state.model.body_mass[body] * state.data.xipos[3 * body + axis];
    }
    return moment / total_mass_;
}

bool BoundQuantity::touches(mjData const& data, int geom) const
{
    return std::any_of(data.contact, data.contact + data.ncon, [&](mjContact const& contact) {
        return (contact.geom1 == with_ && contact.geom2 == geom)
               || (contact.geom1 == geom && contact.geom2 == with_);
    });
}

double BoundQuantity::transformed(double value, std::size_t i) const
{
    if (!offset_.empty()) {
        value -= offset_[i];
    }
    if (scale_) {
        value /= *scale_;
    }
    return clip_ ? std::clamp(value, -*clip_, *clip_) : value;
}

void BoundQuantity::read(StateView const& state, std::span<double> out) const
{
    auto const* values = stored(state);
    bool const plain = offset_.empty() && !scale_ && !clip_;
    if (values != nullptr && index_.empty() && plain) {
        std::copy_n(values + first_, size_, out.begin());
        return;
    }
    for (std::size_t i = 0; i < size_; ++i) {
        auto const entry = index_.empty() ? first_ + i : index_[i];
        out[i] = transformed(values != nullptr ? values[entry] : computed(state, entry), i);
    }
}

}  // namespace mees

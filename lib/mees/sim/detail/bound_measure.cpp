#include "mees/sim/detail/bound_measure.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace mees {
namespace {

bool outside(double number, std::optional<double> lower, std::optional<double> upper)
{
    return (lower && number < *lower) || (upper && number > *upper);
}

}  // namespace

BoundMeasure::BoundMeasure(mjModel const& model, Measure const& measure, double seconds_per_step)
    : kind_{measure.kind},
      target_{measure.target},
      seconds_{measure.seconds},
      seconds_per_step_{seconds_per_step},
      point_{measure.point}
{
    if (kind_ == MeasureKind::constant) {
        return;
    }
    quantity_.emplace_back(model, measure.quantity);
    auto const size = quantity_.front().size();
    values_.resize(size);
    if (!measure.target_site.empty()) {
        site_ = find_numbered_id(model, mjOBJ_SITE, measure.target_site, "site");
    }
    bool const fits =
        kind_ == MeasureKind::rate
            ? size == 1
            : kind_ != MeasureKind::distance || (site_ >= 0 ? size <= 3 : size == point_.size());
    if (!fits) {
        throw ConfigError{
            fmt::format("invalid {} of {}", name_of(kind_), name_of(measure.quantity.source)),
            fmt::format("the quantity has {} entries", size),
            kind_ == MeasureKind::rate ? "Choose one entry." : "Choose as many as its target has."};
    }
}

void BoundMeasure::begin(StateView const& state)
{
    if (kind_ == MeasureKind::rate) {
        quantity_.front().read(state, values_);
        before_ = values_.front();
    }
}

double BoundMeasure::operator()(StateView const& state, double weight) const
{
    if (kind_ == MeasureKind::constant) {
        return weight * (target_ ? std::abs(1 - *target_) : 1);
    }
    quantity_.front().read(state, values_);
    if (kind_ == MeasureKind::rate && !target_) {
        return weighted_rate(weight);
    }
    double number = 0;
    switch (kind_) {
        case MeasureKind::constant:
            break;
        case MeasureKind::sum:
            number = std::accumulate(values_.begin(), values_.end(), 0.0);
            break;
        case MeasureKind::squares:
            number = std::inner_product(values_.begin(), values_.end(), values_.begin(), 0.0);
            break;
        case MeasureKind::rate:
            number = weighted_rate(1);
            break;
        case MeasureKind::distance:
            number = distance(state);
            break;
    }
    return weight * (target_ ? std::abs(number - *target_) : number);
}

/// The order of the two operations decides the last bit, and is that of the first versions.
double BoundMeasure::weighted_rate(double weight) const
{
    double const change = values_.front() - before_;
    return seconds_ ? weight * change / *seconds_ : weight * (change / seconds_per_step_);
}

/// As for `weighted_rate`, the first versions computed the same in two ways.
double BoundMeasure::distance(StateView const& state) const
{
    auto const* to = site_ >= 0 ? state.data.site_xpos + 3 * site_ : point_.data();
    if (quantity_.front().source() == QuantitySource::qpos && values_.size() == 2) {
        return std::hypot(values_[0] - to[0], values_[1] - to[1]);
    }
    double sum = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        sum += (values_[i] - to[i]) * (values_[i] - to[i]);
    }
    return std::sqrt(sum);
}

Reward::Reward(mjModel const& model, std::span<RewardPart const> parts, double seconds_per_step)
{
    for (auto const& part : parts) {
        terms_.push_back({.measure = {model, part.measure, seconds_per_step},
                          .weight = part.weight,
                          .lower = part.lower,
                          .upper = part.upper});
    }
}

void Reward::begin(StateView const& state)
{
    for (auto& term : terms_) {
        term.measure.begin(state);
    }
}

void Reward::measure(StateView const& state, std::span<double> terms) const
{
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        auto const& term = terms_[i];
        double value = term.measure(state, term.weight);
        if (term.lower) {
            value = std::max(value, *term.lower);
        }
        terms[i] = term.upper ? std::min(value, *term.upper) : value;
    }
}

EpisodeLimits::EpisodeLimits(mjModel const& model, std::span<EndPart const> parts,
                             double seconds_per_step)
{
    for (auto const& part : parts) {
        limits_.push_back({.measure = {model, part.measure, seconds_per_step},
                           .lower = part.lower,
                           .upper = part.upper});
    }
}

void EpisodeLimits::begin(StateView const& state)
{
    for (auto& limit : limits_) {
        limit.measure.begin(state);
    }
}

bool EpisodeLimits::exceeded(StateView const& state) const
{
    return std::ranges::any_of(limits_, [&](Limit const& limit) {
        return outside(limit.measure(state), limit.lower, limit.upper);
    });
}

Characteriser::Characteriser(mjModel const& model, std::span<BehaviourPart const> parts,
                             double seconds_per_step)
    : seconds_per_step_{seconds_per_step}
{
    for (auto const& part : parts) {
        BoundQuantity quantity{model, part.quantity};
        auto const size = quantity.size();
        if (size != part.names.size()) {
            throw ConfigError{"invalid names of the BC",
                              fmt::format("{} names for {} values", part.names.size(), size),
                              "Name each of them."};
        }
        std::vector<double> const zeros(size);
        parts_.push_back({part.kind, std::move(quantity), zeros, zeros, zeros});
    }
}

void Characteriser::begin(StateView const& state, std::span<double> bc)
{
    steps_ = 0;
    for (auto& part : parts_) {
        part.quantity.read(state, part.start);
        std::ranges::fill(part.sum, 0.0);
    }
    write(state, bc);
}

void Characteriser::add(StateView const& state, std::span<double> bc)
{
    ++steps_;
    write(state, bc);
}

void Characteriser::write(StateView const& state, std::span<double> bc)
{
    for (auto& part : parts_) {
        part.quantity.read(state, part.values);
        for (std::size_t i = 0; i < part.sum.size() && steps_ > 0; ++i) {
            part.sum[i] += part.values[i];
        }
        write_part(part, bc.first(part.values.size()));
        bc = bc.subspan(part.values.size());
    }
}

namespace {

/// A ground pose as seen from another: position in its frame, cosine and sine of the angle.
void write_relative(std::span<double const> from, std::span<double const> to, std::span<double> bc)
{
    double const dx = to[0] - from[0];
    double const dy = to[1] - from[1];
    double const c = from[2];
    double const s = from[3];
    bc[0] = c * dx + s * dy;
    bc[1] = c * dy - s * dx;
    bc[2] = c * to[2] + s * to[3];
    bc[3] = c * to[3] - s * to[2];
}

}  // namespace

void Characteriser::write_part(Part const& part, std::span<double> bc) const
{
    if (part.kind == CharacterKind::relative) {
        write_relative(part.start, part.values, bc);
        return;
    }
    double const seconds = seconds_per_step_ * std::max(steps_, 1.0);
    for (std::size_t i = 0; i < bc.size(); ++i) {
        double const moved = part.values[i] - part.start[i];
        switch (part.kind) {
            case CharacterKind::final_value:
                bc[i] = part.values[i];
                break;
            case CharacterKind::displacement:
                bc[i] = moved;
                break;
            case CharacterKind::velocity:
                bc[i] = moved / seconds;
                break;
            case CharacterKind::mean:
                bc[i] = steps_ > 0 ? part.sum[i] / steps_ : 0;
                break;
            case CharacterKind::relative:
                break;
        }
    }
}

}  // namespace mees

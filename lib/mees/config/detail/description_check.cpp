#include "mees/config/detail/description_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mees::description {
namespace {

using Source = QuantitySource;

bool needs_body(Source source)
{
    return source == Source::position || source == Source::orientation || source == Source::rotation
           || source == Source::angles || source == Source::subtree_com
           || source == Source::ground_pose;
}

std::string fault_of(Quantity const& quantity)
{
    auto const source = quantity.source;
    bool const contact = source == Source::contact;
    if (quantity.body.empty() == needs_body(source)
        || quantity.site.empty() == (source == Source::site) || quantity.geoms.empty() == contact
        || quantity.with.empty() == contact) {
        return fmt::format("the source {} has other names than it needs", name_of(source));
    }
    bool const range = quantity.first != 0 || quantity.count;
    if (range && !quantity.index.empty()) {
        return "index excludes first and count";
    }
    if (quantity.first < 0 || quantity.count.value_or(1) < 1
        || std::ranges::any_of(quantity.index, [](auto i) { return i < 0; })) {
        return "an entry is below 0, or there is none";
    }
    if (quantity.scale == 0.0) {
        return "scale is 0";
    }
    if (!(quantity.clip.value_or(1) > 0)) {
        return "clip is not above 0";
    }
    return {};
}

std::string fault_of(Measure const& measure)
{
    if (measure.kind == MeasureKind::constant) {
        return {};
    }
    if (auto fault = fault_of(measure.quantity); !fault.empty()) {
        return fault;
    }
    if (measure.seconds && (measure.kind != MeasureKind::rate || !(*measure.seconds > 0))) {
        return "seconds is above 0, and for the kind rate only";
    }
    int const targets = (measure.point.empty() ? 0 : 1) + (measure.target_site.empty() ? 0 : 1);
    if (targets != (measure.kind == MeasureKind::distance ? 1 : 0)) {
        return "the kind distance, and no other, needs point or target_site";
    }
    return {};
}

bool reversed(std::optional<double> lower, std::optional<double> upper)
{
    return lower && upper && *lower > *upper;
}

std::string fault_of(EndPart const& end)
{
    if (end.measure.kind == MeasureKind::constant) {
        return "an [[end]] cannot be constant";
    }
    if (!end.lower && !end.upper) {
        return "an [[end]] needs lower or upper";
    }
    return reversed(end.lower, end.upper) ? "lower is above upper" : fault_of(end.measure);
}

std::string fault_of(RewardPart const& reward)
{
    return reversed(reward.lower, reward.upper) ? "lower is above upper" : fault_of(reward.measure);
}

std::string fault_of(BehaviourPart const& bc)
{
    auto const size = bc.names.size();
    bool const relative = bc.kind == CharacterKind::relative;
    bool const pose = bc.quantity.source == Source::ground_pose;
    auto const whole = Quantity{.source = bc.quantity.source, .body = bc.quantity.body};
    if (relative && (!pose || bc.quantity != whole || size != 4)) {
        return "the kind relative is of a whole ground_pose, and has four names";
    }
    if (size == 0 || bc.lower.size() != size || bc.upper.size() != size || bc.bins.size() != size) {
        return "names, lower, upper and bins differ in length";
    }
    for (std::size_t i = 0; i < size; ++i) {
        double const width = bc.upper[i] - bc.lower[i];
        if (!(width > 0) || !std::isfinite(width) || bc.bins[i] < 1) {
            return "an axis has no width or no bins";
        }
    }
    return fault_of(bc.quantity);
}

template <class Parts>
std::string fault_in(Parts const& parts, char const* table)
{
    for (auto const& part : parts) {
        if (auto const fault = fault_of(part); !fault.empty()) {
            return fmt::format("[[{}]]: {}", table, fault);
        }
    }
    return {};
}

std::string general_fault(TaskDescription const& task)
{
    if (task.frame_skip < 1 || task.frame_skip > 1'000'000) {
        return "frame_skip is not in 1..1000000";
    }
    if (task.episode_steps < 1 || task.episode_steps > 1'000'000'000) {
        return "episode_steps is not in 1..1000000000";
    }
    if (task.noise < 0) {
        return "the noise of [start] is below 0";
    }
    if (task.action_offset.size() != task.action_scale.size()) {
        return "offset and scale of [action] differ in length";
    }
    if (task.observation.empty() || task.reward.empty() || task.bc.empty()) {
        return "it has no observation, no reward or no BC";
    }
    return {};
}

}  // namespace

std::string fault_of(TaskDescription const& task)
{
    for (auto const& fault :
         {general_fault(task), fault_in(task.observation, "observation"),
          fault_in(task.reward, "reward"), fault_in(task.end, "end"), fault_in(task.bc, "bc")}) {
        if (!fault.empty()) {
            return fault;
        }
    }
    return {};
}

}  // namespace mees::description

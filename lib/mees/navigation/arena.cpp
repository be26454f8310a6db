#include "mees/navigation/arena.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mees {
namespace {

bool inside(GroundPoint const& point, GroundPoint const& lower, GroundPoint const& upper)
{
    return point.x >= lower.x && point.x <= upper.x && point.y >= lower.y && point.y <= upper.y;
}

BoxObstacle enlarged(BoxObstacle const& box, double by)
{
    return {{box.lower.x - by, box.lower.y - by}, {box.upper.x + by, box.upper.y + by}};
}

/// The part of a line, as shares of it, that is between two limits of one coordinate.
void keep_between(double from, double to, double lower, double upper, double& first, double& last)
{
    double const step = to - from;
    if (step == 0) {
        if (from < lower || from > upper) {
            first = 1;
            last = 0;
        }
        return;
    }
    double const a = (lower - from) / step;
    double const b = (upper - from) / step;
    first = std::max(first, std::min(a, b));
    last = std::min(last, std::max(a, b));
}

bool crosses(GroundPoint const& from, GroundPoint const& to, BoxObstacle const& box)
{
    double first = 0;
    double last = 1;
    keep_between(from.x, to.x, box.lower.x, box.upper.x, first, last);
    keep_between(from.y, to.y, box.lower.y, box.upper.y, first, last);
    return first <= last;
}

double distance_to_line(GroundPoint const& point, GroundPoint const& from, GroundPoint const& to)
{
    double const dx = to.x - from.x;
    double const dy = to.y - from.y;
    double const squared = dx * dx + dy * dy;
    double const along =
        squared > 0 ? ((point.x - from.x) * dx + (point.y - from.y) * dy) / squared : 0;
    double const share = std::clamp(along, 0.0, 1.0);
    return distance(point, {from.x + share * dx, from.y + share * dy});
}

}  // namespace

double distance(GroundPoint const& a, GroundPoint const& b)
{
    double const dx = a.x - b.x;
    double const dy = a.y - b.y;
    return std::sqrt(dx * dx + dy * dy);
}

bool Arena::is_free(GroundPoint const& point) const
{
    return is_free(point, point);
}

bool Arena::is_free(GroundPoint const& from, GroundPoint const& to) const
{
    double const radius = settings_.robot_radius;
    auto const walls = enlarged({settings_.lower, settings_.upper}, -radius);
    if (!inside(from, walls.lower, walls.upper) || !inside(to, walls.lower, walls.upper)) {
        return false;
    }
    return std::ranges::none_of(
               settings_.boxes,
               [&](auto const& box) { return crosses(from, to, enlarged(box, radius)); })
           && std::ranges::none_of(settings_.circles, [&](auto const& circle) {
                  return distance_to_line(circle.centre, from, to) <= circle.radius + radius;
              });
}

bool Arena::collides(GroundPoint const& from, GroundPoint const& to) const
{
    return is_free(from) ? !is_free(from, to) : !is_free(to);
}

void require_free(Arena const& arena, std::vector<GroundPoint> const& targets)
{
    auto const reject = [](std::string const& what) {
        throw ConfigError{fmt::format("cannot navigate in this arena ({} is outside it, or in an "
                                      "obstacle)",
                                      what),
                          "walls and obstacles are enlarged by robot_radius",
                          "Move it, or change the arena."};
    };
    if (!arena.is_free({0, 0})) {
        reject("the robot's start, [0, 0],");
    }
    for (auto const& target : targets) {
        if (!arena.is_free(target)) {
            reject(fmt::format("the target [{}, {}]", target.x, target.y));
        }
    }
}

}  // namespace mees

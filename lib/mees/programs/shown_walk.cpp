#include "mees/programs/detail/shown_walk.hpp"

#include "mees/core/atomic_file.hpp"
#include "mees/navigation/arena.hpp"
#include "mees/navigation/walk_track.hpp"
#include "mees/storage/walk_file.hpp"
#include "mees/video/video.hpp"

#include <fmt/format.h>

#include <array>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

namespace mees {
namespace {

using Colour = std::array<float, 4>;
constexpr Colour obstacle_colour{0.45F, 0.45F, 0.5F, 1};
constexpr Colour present_colour{0.9F, 0.1F, 0.1F, 1};
constexpr Colour later_colour{0.95F, 0.75F, 0.1F, 1};
constexpr Colour earlier_colour{0.2F, 0.7F, 0.3F, 1};
constexpr double obstacle_height = 0.4;
constexpr double wall_width = 0.1;
constexpr double target_height = 0.02;

Decoration box(BoxObstacle const& on_ground)
{
    auto const& [lower, upper] = on_ground;
    return {Decoration::Shape::box,
            {(lower.x + upper.x) / 2, (lower.y + upper.y) / 2, obstacle_height / 2},
            {(upper.x - lower.x) / 2, (upper.y - lower.y) / 2, obstacle_height / 2},
            obstacle_colour};
}

Decoration disc(GroundPoint const& centre, double radius, double height, Colour const& colour)
{
    return {Decoration::Shape::cylinder,
            {centre.x, centre.y, height / 2},
            {radius, radius, height / 2},
            colour};
}

/// Obstacles, walls and targets while the robot walks to `target`.
std::vector<Decoration> decorations_of(Course const& course, std::int64_t target)
{
    auto const& [lower, upper] = std::pair{course.arena.lower, course.arena.upper};
    std::vector<Decoration> shown;
    for (auto const& wall : {BoxObstacle{{lower.x - wall_width, lower.y - wall_width},
                                         {lower.x, upper.y + wall_width}},
                             BoxObstacle{{upper.x, lower.y - wall_width},
                                         {upper.x + wall_width, upper.y + wall_width}},
                             BoxObstacle{{lower.x, lower.y - wall_width}, {upper.x, lower.y}},
                             BoxObstacle{{lower.x, upper.y}, {upper.x, upper.y + wall_width}}}) {
        shown.push_back(box(wall));
    }
    for (auto const& obstacle : course.arena.boxes) {
        shown.push_back(box(obstacle));
    }
    for (auto const& [centre, radius] : course.arena.circles) {
        shown.push_back(disc(centre, radius, obstacle_height, obstacle_colour));
    }
    for (std::int64_t i = 0; i < std::ssize(course.targets); ++i) {
        auto const& colour = i < target    ? earlier_colour
                             : i == target ? present_colour
                                           : later_colour;
        shown.push_back(disc(course.targets[static_cast<std::size_t>(i)],
                             Arena{course.arena}.goal_radius(), target_height, colour));
    }
    return shown;
}

std::string described(NavigationJob const& job)
{
    return fmt::format("the walk of {}, seed {}", job.damage, job.seed);
}

void film(NavigationDomain const& domain, NavigationJob const& job, WalkTrack const& track,
          NavigateOptions const& options, Course const& course)
{
    auto const& robot = *domain.robot();
    auto const row_at = [&](std::int64_t row) -> auto const&
    {
        return track.rows.at(static_cast<std::size_t>(row));
    };
    make_video({*robot.full_model(), track.qpos, robot.spec().seconds_per_step,
                [&](std::int64_t row) {
                    return fmt::format("{}, seed {}{}\naction {}, target {} of {}", job.damage,
                                       job.seed, options.settings.learning ? "" : ", no learning",
                                       row_at(row).action + 1, row_at(row).target + 1,
                                       course.targets.size());
                },
                [&](std::int64_t row) { return decorations_of(course, row_at(row).target); }},
               options.video, options.existing);
    std::cout << fmt::format("video of {}: {}\n", described(job), options.video.string());
}

}  // namespace

void show_walk(NavigationDomain const& domain, NavigationJob const& job, std::uint64_t seed,
               NavigationDocument const& document, NavigateOptions const& options)
{
    auto const track = track_walk(domain, stream_of(job, seed));
    std::optional<AtomicFile> trajectory;
    if (!options.trajectory.empty()) {
        auto const& robot = *domain.robot();
        trajectory.emplace(options.trajectory);
        write_walk(
            trajectory->temporary(),
            {document.run, document.generation, job, options.settings.learning, document.course,
             document.map_sha256, robot.spec().seconds_per_step, robot.document(), track});
    }
    if (!options.video.empty()) {
        film(domain, job, track, options, document.course);
    }
    // After the video, which takes a while: a command that did not end can be repeated.
    if (trajectory) {
        trajectory->commit(options.existing);
        std::cout << fmt::format("trajectory of {}: {}\n", described(job),
                                 options.trajectory.string());
    }
}

}  // namespace mees

#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

/// A point on the ground, in metres.
struct GroundPoint {
    double x{0};
    double y{0};
    friend bool operator==(GroundPoint const&, GroundPoint const&) = default;
};

struct BoxObstacle {
    GroundPoint lower;
    GroundPoint upper;
    friend bool operator==(BoxObstacle const&, BoxObstacle const&) = default;
};

struct CircleObstacle {
    GroundPoint centre;
    double radius{0};
    friend bool operator==(CircleObstacle const&, CircleObstacle const&) = default;
};

/// Where a robot may walk: a rectangle without some obstacles. docs/navigation.md describes the
/// file; the names there are those here.
struct ArenaSettings {
    GroundPoint lower{-10, -10};
    GroundPoint upper{10, 10};
    double cell{0.5};        ///< side of the cells in which paths are planned
    double robot_radius{0};  ///< by which obstacles and walls are enlarged
    std::vector<BoxObstacle> boxes;
    std::vector<CircleObstacle> circles;
    friend bool operator==(ArenaSettings const&, ArenaSettings const&) = default;
};

// These throw ConfigError, naming file and line, for unknown keys, wrong types and impossible
// values.

[[nodiscard]] ArenaSettings parse_arena(std::string_view toml, std::string const& source);
[[nodiscard]] ArenaSettings read_arena(std::filesystem::path const& file);
/// `targets = [[x, y], ...]`, 1 to 1000 of them.
[[nodiscard]] std::vector<GroundPoint> parse_targets(std::string_view toml,
                                                     std::string const& source);
[[nodiscard]] std::vector<GroundPoint> read_targets(std::filesystem::path const& file);

/// As TOML; `parse_arena` reads the same back.
[[nodiscard]] std::string to_toml(ArenaSettings const& arena);

}  // namespace mees

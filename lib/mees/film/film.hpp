#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

struct mjModel_;

namespace mees {

/// An episode to be shown: where the robot was before the first control step and after each.
struct FilmedEpisode {
    mjModel_ const& model;
    std::vector<double> qpos;  ///< rows of the model's nq
    double seconds_per_step{0};
    /// What is written over the picture of row i.
    std::function<std::string(std::int64_t row)> caption;
};

/// Throws ConfigError unless the name ends in .mp4, .gif or .png.
void require_film_name(std::filesystem::path const& path);

/// Draws the episode at 1280 x 720. An .mp4 or .gif runs at real time; a .png is a film strip of
/// nine pictures from the first to the last. Throws FilmError.
void make_film(FilmedEpisode const& episode, std::filesystem::path const& path);

}  // namespace mees

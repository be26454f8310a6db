#pragma once

#include "mees/core/atomic_file.hpp"
#include "mees/core/error.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

struct mjModel_;

namespace mees {

/// A video cannot be made: a library or program is missing, or the file cannot be written.
class VideoError : public Error {
  public:
    VideoError(std::string_view problem, std::string_view why, std::string_view remedy)
        : Error{ExitCode::failure, problem, why, remedy}
    {
    }
};

/// An episode to draw: the robot's position before the first control step and after each.
struct VideoEpisode {
    mjModel_ const& model;
    std::vector<double> qpos;  ///< rows of the model's nq
    double seconds_per_step{0};
    /// The caption of the frame that shows row i.
    std::function<std::string(std::int64_t row)> caption;
};

/// Throws ConfigError unless the name ends in .mp4, .gif or .png.
void require_video_name(std::filesystem::path const& path);

/// Draws the episode at 1280 x 720. An .mp4 or .gif plays in real time; a .png is a strip of nine
/// frames from the first to the last. Throws VideoError, leaving no file.
void make_video(VideoEpisode const& episode, std::filesystem::path const& path, Existing existing);

}  // namespace mees

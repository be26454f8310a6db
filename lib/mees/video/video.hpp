#pragma once

#include "mees/core/atomic_file.hpp"
#include "mees/core/error.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
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

struct VideoSettings {
    int width{1280};  ///< even, as the height is
    int height{720};
    double frames_per_second{34};  ///< at most; a video shows every k-th control step
    /// Called after each frame with the frames done and their total.
    std::function<void(std::int64_t done, std::int64_t total)> progress{};
};

/// The size in "640x360": even numbers from 16 to 7680. Throws ConfigError.
[[nodiscard]] std::pair<int, int> parse_video_size(std::string const& text);

/// Draws the episode. An .mp4 or .gif plays in real time; a .png is a strip of nine frames from the
/// first to the last. Throws VideoError, leaving no file.
void make_video(VideoEpisode const& episode, std::filesystem::path const& path, Existing existing,
                VideoSettings const& settings = {});

}  // namespace mees

#pragma once

#include "mees/core/atomic_file.hpp"
#include "mees/core/error.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
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

/// Something that is drawn and has no effect on the physics: a box, or an upright cylinder.
struct Decoration {
    enum class Shape : std::uint8_t { box, cylinder };
    Shape shape{Shape::box};
    std::array<double, 3> centre{};
    std::array<double, 3> half_size{};  ///< of a cylinder: radius, radius, half its height
    std::array<float, 4> colour{};      ///< red, green, blue, opacity
};

/// An episode to draw: the robot's position before the first control step and after each.
struct VideoEpisode {
    mjModel_ const& model;
    std::vector<double> qpos;  ///< rows of the model's nq
    double seconds_per_step{0};
    /// The caption of the frame that shows row i.
    std::function<std::string(std::int64_t row)> caption;
    /// What is drawn in that frame besides the model; empty: nothing.
    std::function<std::vector<Decoration>(std::int64_t row)> decorations{};
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

/// A frame that someone else drew: rows from the top, three bytes (red, green, blue) per pixel.
struct FrameView {
    std::int64_t width{0};
    std::int64_t height{0};
    std::uint8_t const* pixels{nullptr};
};

class VideoWriter;
struct Image;

/// A video of frames that come one after the other, in the formats of `make_video` and of the size
/// of the first. Throws VideoError; the file exists after `finish` only.
class FrameVideo {
  public:
    /// Of an episode of `steps` control steps, with at most `frames_per_second`, showing every k-th
    /// control step; control steps of unknown duration, 0, are shown as thirtieths of a second.
    FrameVideo(std::filesystem::path path, std::int64_t steps, double seconds_per_step,
               double frames_per_second, Existing existing);
    FrameVideo(FrameVideo const&) = delete;
    FrameVideo& operator=(FrameVideo const&) = delete;
    ~FrameVideo();

    /// Whether the state after `step` control steps is shown.
    [[nodiscard]] bool wants(std::int64_t step) const;
    /// The frames that are wanted, in their order.
    void add(FrameView const& frame);
    void finish();

  private:
    [[nodiscard]] bool is_strip() const { return path_.extension() == ".png"; }

    std::filesystem::path path_;
    std::int64_t steps_;
    double seconds_per_step_;
    Existing existing_;
    std::int64_t stride_;
    std::unique_ptr<AtomicFile> file_;
    std::unique_ptr<VideoWriter> writer_;
    std::vector<Image> frames_;  ///< of a strip
};

}  // namespace mees

#include "mees/video/detail/image.hpp"
#include "mees/video/detail/video_writer.hpp"
#include "mees/video/video.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace mees {
namespace {

constexpr std::int64_t frames_of_strip = 9;
constexpr int columns_of_strip = 3;
constexpr double usual_seconds_per_step = 1.0 / 30;

/// A copy with an even width and height, which encoders require.
Image even_copy(FrameView const& frame)
{
    auto const even = [](std::int64_t size) { return static_cast<int>(size / 2 * 2); };
    Image image{even(frame.width), even(frame.height)};
    for (int y = 0; y < image.height; ++y) {
        std::memcpy(image.row(y), frame.pixels + 3 * y * frame.width,
                    3 * static_cast<std::size_t>(image.width));
    }
    return image;
}

Image strip_of(std::vector<Image> const& frames)
{
    auto const& first = frames.front();
    int const rows = (static_cast<int>(frames.size()) + columns_of_strip - 1) / columns_of_strip;
    Image strip{columns_of_strip * first.width, rows * first.height};
    for (int i = 0; i < static_cast<int>(frames.size()); ++i) {
        paste(frames[static_cast<std::size_t>(i)], strip, i % columns_of_strip * first.width,
              i / columns_of_strip * first.height);
    }
    return strip;
}

}  // namespace

FrameVideo::FrameVideo(std::filesystem::path path, std::int64_t steps, double seconds_per_step,
                       double frames_per_second, Existing existing)
    : path_{std::move(path)},
      steps_{steps},
      seconds_per_step_{seconds_per_step > 0 ? seconds_per_step : usual_seconds_per_step},
      existing_{existing},
      stride_{std::max<std::int64_t>(
          1, std::llround(std::ceil(1 / (frames_per_second * seconds_per_step_))))}
{
}

FrameVideo::~FrameVideo() = default;

bool FrameVideo::wants(std::int64_t step) const
{
    if (!is_strip()) {
        return step % stride_ == 0;
    }
    for (std::int64_t i = 0; i < frames_of_strip; ++i) {
        if (step == steps_ * i / (frames_of_strip - 1)) {
            return true;
        }
    }
    return false;
}

void FrameVideo::add(FrameView const& frame)
{
    auto image = even_copy(frame);
    bool const first = !writer_ && frames_.empty();
    if (first && (image.width == 0 || image.height == 0)) {
        throw VideoError{"cannot make the video", "the environment draws empty images", ""};
    }
    if (first && !is_strip()) {
        file_ = std::make_unique<AtomicFile>(path_);
        writer_ = std::make_unique<VideoWriter>(
            file_->temporary(), path_.extension() == ".gif" ? VideoFormat::gif : VideoFormat::mp4,
            image.width, image.height, 1 / (static_cast<double>(stride_) * seconds_per_step_));
    }
    if (!first
        && (image.width != frames_.front().width || image.height != frames_.front().height)) {
        throw VideoError{"cannot make the video", "its frames have different sizes", ""};
    }
    if (first || is_strip()) {
        frames_.push_back(image);
    }
    if (writer_) {
        writer_->add(image);
    }
}

void FrameVideo::finish()
{
    expects(!frames_.empty(), "a video has at least one frame");
    if (is_strip()) {
        write_new_file(path_, encode_png(strip_of(frames_)), existing_);
    } else {
        writer_->finish();
        file_->commit(existing_);
    }
}

}  // namespace mees

#include "mees/video/video.hpp"

#include "mees/video/detail/image.hpp"
#include "mees/video/detail/renderer.hpp"
#include "mees/video/detail/video_writer.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mees {
namespace {

constexpr int width = 1280;
constexpr int height = 720;
constexpr int strip_side = 3;
constexpr double highest_frame_rate = 34;

std::int64_t rows_of(VideoEpisode const& episode)
{
    return std::ssize(episode.qpos) / episode.model.nq;
}

Image draw_frame(Renderer& renderer, VideoEpisode const& episode, std::int64_t row)
{
    auto const nq = static_cast<std::size_t>(episode.model.nq);
    return renderer.draw(std::span{episode.qpos}.subspan(static_cast<std::size_t>(row) * nq, nq),
                         episode.caption(row));
}

Image make_strip(VideoEpisode const& episode)
{
    Renderer renderer{episode.model, width, height, Lettering::large};
    Image strip{width, height};
    constexpr int frames = strip_side * strip_side;
    auto const last = rows_of(episode) - 1;
    for (int i = 0; i < frames; ++i) {
        auto const small =
            shrink(draw_frame(renderer, episode, last * i / (frames - 1)), strip_side);
        paste(small, strip, i % strip_side * (small.width + 1), i / strip_side * small.height);
    }
    return strip;
}

void encode_video(VideoEpisode const& episode, std::filesystem::path const& path,
                  VideoFormat format)
{
    auto const stride =
        static_cast<std::int64_t>(std::ceil(1 / (highest_frame_rate * episode.seconds_per_step)));
    Renderer renderer{episode.model, width, height, Lettering::normal};
    VideoWriter video{path, format, width, height,
                      1 / (static_cast<double>(stride) * episode.seconds_per_step)};
    for (std::int64_t row = 0; row < rows_of(episode); row += stride) {
        video.add(draw_frame(renderer, episode, row));
    }
    video.finish();
}

}  // namespace

void require_video_name(std::filesystem::path const& path)
{
    auto const kind = path.extension();
    if (kind != ".mp4" && kind != ".gif" && kind != ".png") {
        throw ConfigError{fmt::format("invalid --video {}", path.string()),
                          "the name must end in .mp4, .gif or, for a strip of frames, .png",
                          "Use one of these endings."};
    }
}

void make_video(VideoEpisode const& episode, std::filesystem::path const& path, Existing existing)
{
    expects(rows_of(episode) >= 1, "an episode to draw has at least its initial state");
    if (path.extension() == ".png") {
        write_new_file(path, encode_png(make_strip(episode)), existing);
    } else {
        AtomicFile file{path};
        encode_video(episode, file.temporary(),
                     path.extension() == ".gif" ? VideoFormat::gif : VideoFormat::mp4);
        file.commit(existing);
    }
}

}  // namespace mees

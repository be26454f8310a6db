#include "mees/video/video.hpp"

#include "mees/video/detail/image.hpp"
#include "mees/video/detail/renderer.hpp"
#include "mees/video/detail/video_writer.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mees {
namespace {

constexpr int strip_side = 3;
constexpr int smallest_side = 16;
constexpr int largest_side = 7680;

std::int64_t rows_of(VideoEpisode const& episode)
{
    return std::ssize(episode.qpos) / episode.model.nq;
}

Image draw_frame(Renderer& renderer, VideoEpisode const& episode, std::int64_t row)
{
    auto const nq = static_cast<std::size_t>(episode.model.nq);
    return renderer.draw(
        std::span{episode.qpos}.subspan(static_cast<std::size_t>(row) * nq, nq),
        episode.caption(row),
        episode.decorations ? episode.decorations(row) : std::vector<Decoration>{});
}

void report(VideoSettings const& settings, std::int64_t done, std::int64_t total)
{
    if (settings.progress) {
        settings.progress(done, total);
    }
}

Image make_strip(VideoEpisode const& episode, VideoSettings const& settings)
{
    Renderer renderer{episode.model, settings.width, settings.height, Lettering::large};
    Image strip{settings.width, settings.height};
    constexpr int frames = strip_side * strip_side;
    auto const last = rows_of(episode) - 1;
    for (int i = 0; i < frames; ++i) {
        auto const small =
            shrink(draw_frame(renderer, episode, last * i / (frames - 1)), strip_side);
        auto const left = (i % strip_side * settings.width + strip_side - 1) / strip_side;
        paste(small, strip, left, i / strip_side * small.height);
        report(settings, i + 1, frames);
    }
    return strip;
}

void encode_video(VideoEpisode const& episode, std::filesystem::path const& path,
                  VideoFormat format, VideoSettings const& settings)
{
    auto const stride = static_cast<std::int64_t>(
        std::ceil(1 / (settings.frames_per_second * episode.seconds_per_step)));
    Renderer renderer{episode.model, settings.width, settings.height, Lettering::normal};
    VideoWriter video{path, format, settings.width, settings.height,
                      1 / (static_cast<double>(stride) * episode.seconds_per_step)};
    auto const frames = (rows_of(episode) + stride - 1) / stride;
    for (std::int64_t i = 0; i < frames; ++i) {
        video.add(draw_frame(renderer, episode, i * stride));
        report(settings, i + 1, frames);
    }
    video.finish();
}

int parse_side(std::string const& text)
{
    bool const digits = !text.empty() && text.size() <= 4
                        && text.find_first_not_of("0123456789") == std::string::npos;
    return digits ? std::stoi(text) : 0;
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

std::pair<int, int> parse_video_size(std::string const& text)
{
    auto const cross = text.find('x');
    auto const width = parse_side(text.substr(0, cross));
    auto const height = cross == std::string::npos ? 0 : parse_side(text.substr(cross + 1));
    auto const usable = [](int side) {
        return side >= smallest_side && side <= largest_side && side % 2 == 0;
    };
    if (!usable(width) || !usable(height)) {
        throw ConfigError{fmt::format("invalid --size {}", text),
                          fmt::format("a size is WIDTHxHEIGHT, two even numbers from {} to {}",
                                      smallest_side, largest_side),
                          "Use a size such as 640x360."};
    }
    return {width, height};
}

void make_video(VideoEpisode const& episode, std::filesystem::path const& path, Existing existing,
                VideoSettings const& settings)
{
    expects(rows_of(episode) >= 1, "an episode to draw has at least its initial state");
    expects(settings.frames_per_second > 0, "a video has a positive frame rate");
    if (path.extension() == ".png") {
        write_new_file(path, encode_png(make_strip(episode, settings)), existing);
    } else {
        AtomicFile file{path};
        encode_video(episode, file.temporary(),
                     path.extension() == ".gif" ? VideoFormat::gif : VideoFormat::mp4, settings);
        file.commit(existing);
    }
}

}  // namespace mees

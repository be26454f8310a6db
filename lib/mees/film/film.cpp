#include "mees/film/film.hpp"

#include "mees/core/error.hpp"
#include "mees/film/image.hpp"
#include "mees/film/renderer.hpp"
#include "mees/film/video_writer.hpp"
#include "mees/sim/mujoco.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mees {
namespace {

constexpr int width = 1280;
constexpr int height = 720;
constexpr int strip_side = 3;
constexpr double most_pictures_per_second = 34;

std::int64_t rows_of(FilmedEpisode const& episode)
{
    return std::ssize(episode.qpos) / episode.model.nq;
}

Image picture(Renderer& renderer, FilmedEpisode const& episode, std::int64_t row)
{
    auto const nq = static_cast<std::size_t>(episode.model.nq);
    return renderer.draw(std::span{episode.qpos}.subspan(static_cast<std::size_t>(row) * nq, nq),
                         episode.caption(row));
}

void make_strip(FilmedEpisode const& episode, std::filesystem::path const& path)
{
    Renderer renderer{episode.model, width, height, Lettering::large};
    Image strip{width, height};
    constexpr int pictures = strip_side * strip_side;
    auto const last = rows_of(episode) - 1;
    for (int i = 0; i < pictures; ++i) {
        auto const small =
            shrink(picture(renderer, episode, last * i / (pictures - 1)), strip_side);
        paste(small, strip, i % strip_side * (small.width + 1), i / strip_side * small.height);
    }
    write_png(strip, path);
}

void make_video(FilmedEpisode const& episode, std::filesystem::path const& path)
{
    auto const stride = static_cast<std::int64_t>(
        std::ceil(1 / (most_pictures_per_second * episode.seconds_per_step)));
    Renderer renderer{episode.model, width, height, Lettering::normal};
    VideoWriter video{path, width, height,
                      1 / (static_cast<double>(stride) * episode.seconds_per_step)};
    for (std::int64_t row = 0; row < rows_of(episode); row += stride) {
        video.add(picture(renderer, episode, row));
    }
    video.finish();
}

}  // namespace

void require_film_name(std::filesystem::path const& path)
{
    auto const kind = path.extension();
    if (kind != ".mp4" && kind != ".gif" && kind != ".png") {
        throw ConfigError{fmt::format("--video {} cannot be made", path.string()),
                          "a film is an .mp4, a .gif or, as a strip of pictures, a .png",
                          "Give it one of these endings."};
    }
}

void make_film(FilmedEpisode const& episode, std::filesystem::path const& path)
{
    expects(rows_of(episode) >= 1, "an episode with a beginning");
    if (path.extension() == ".png") {
        make_strip(episode, path);
    } else {
        make_video(episode, path);
    }
}

}  // namespace mees

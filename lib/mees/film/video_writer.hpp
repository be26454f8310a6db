#pragma once

#include "mees/film/image.hpp"

#include <filesystem>
#include <memory>

namespace mees {

/// Makes an .mp4 or .gif of pictures of one size by handing them to the program ffmpeg.
///
/// The file is whole after `finish`; a writer that is destroyed before removes it. Throws FilmError
/// where ffmpeg is missing or fails.
class VideoWriter {
  public:
    VideoWriter(std::filesystem::path path, int width, int height, double pictures_per_second);
    ~VideoWriter();
    VideoWriter(VideoWriter const&) = delete;
    VideoWriter& operator=(VideoWriter const&) = delete;

    void add(Image const& image);
    void finish();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mees

#pragma once

#include "mees/video/detail/image.hpp"

#include <filesystem>

#include <sys/types.h>

namespace mees {

/// Encodes frames of one size as an .mp4 or .gif with the program ffmpeg.
///
/// The file is complete after `finish`; a writer destroyed earlier removes it. Throws VideoError if
/// ffmpeg is missing or fails.
class VideoWriter {
  public:
    VideoWriter(std::filesystem::path path, int width, int height, double frames_per_second);
    ~VideoWriter();
    VideoWriter(VideoWriter const&) = delete;
    VideoWriter& operator=(VideoWriter const&) = delete;

    void add(Image const& image);
    void finish();

  private:
    [[nodiscard]] bool end();

    std::filesystem::path path_;
    pid_t process_{0};
    int pipe_{-1};
};

}  // namespace mees

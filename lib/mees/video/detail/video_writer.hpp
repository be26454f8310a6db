#pragma once

#include "mees/video/detail/image.hpp"

#include <filesystem>

#include <sys/types.h>

namespace mees {

enum class VideoFormat { mp4, gif };

/// Encodes frames of one size with the program ffmpeg, in a file of any name.
///
/// The file is complete after `finish`; a writer destroyed earlier removes it. Throws VideoError if
/// ffmpeg is missing or fails.
class VideoWriter {
  public:
    VideoWriter(std::filesystem::path path, VideoFormat format, int width, int height,
                double frames_per_second);
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

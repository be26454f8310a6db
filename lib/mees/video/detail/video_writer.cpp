#include "mees/video/detail/video_writer.hpp"

#include "mees/video/video.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

extern char** environ;

namespace mees {
namespace {

std::vector<std::string> arguments(std::filesystem::path const& path, VideoFormat format, int width,
                                   int height, double rate)
{
    std::vector<std::string> words{"ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo"};
    words.insert(words.end(), {"-pix_fmt", "rgb24", "-s", fmt::format("{}x{}", width, height), "-r",
                               fmt::format("{:.6f}", rate), "-i", "-"});
    if (format == VideoFormat::gif) {
        // One palette per frame: ffmpeg need not keep all frames to choose one.
        words.insert(words.end(), {"-vf",
                                   "split[a][b];[a]palettegen=stats_mode=single[p];"
                                   "[b][p]paletteuse=new=1:dither=none",
                                   "-f", "gif"});
    } else {
        words.insert(words.end(), {"-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset", "veryfast",
                                   "-crf", "20", "-movflags", "+faststart", "-f", "mp4"});
    }
    // Without the protocol, a name with a colon or a leading dash would be something else.
    words.push_back(fmt::format("file:{}", path.string()));
    return words;
}

/// Starts the program with a pipe as its standard input; returns the pipe's write end.
std::pair<pid_t, int> start(std::vector<std::string> words)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        throw VideoError{"cannot start ffmpeg", std::strerror(errno), "Try again."};
    }
    std::vector<char*> pointers;
    for (auto& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    pid_t process = 0;
    int const failure =
        posix_spawnp(&process, "ffmpeg", &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (failure != 0) {
        close(ends[1]);
        throw VideoError{"cannot make a video", fmt::format("ffmpeg: {}", std::strerror(failure)),
                         "Install Debian's package ffmpeg, or give --video a name that ends in "
                         ".png."};
    }
    return {process, ends[1]};
}

}  // namespace

VideoWriter::VideoWriter(std::filesystem::path path, VideoFormat format, int width, int height,
                         double frames_per_second)
    : path_{std::move(path)}
{
    // If ffmpeg exits early, a write must fail instead of ending this program.
    std::signal(SIGPIPE, SIG_IGN);
    std::tie(process_, pipe_) = start(arguments(path_, format, width, height, frames_per_second));
}

VideoWriter::~VideoWriter()
{
    if (pipe_ >= 0) {
        (void)end();
        std::error_code error;
        std::filesystem::remove(path_, error);
    }
}

/// Whether ffmpeg succeeded.
bool VideoWriter::end()
{
    close(std::exchange(pipe_, -1));
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void VideoWriter::add(Image const& image)
{
    std::size_t done = 0;
    while (done < image.pixels.size()) {
        auto const count = write(pipe_, image.pixels.data() + done, image.pixels.size() - done);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            throw VideoError{"cannot make the video", "ffmpeg exited early; see its output above",
                             "Check that the folder exists and that the disk is not full."};
        }
        done += static_cast<std::size_t>(count);
    }
}

void VideoWriter::finish()
{
    if (!end()) {
        throw VideoError{"cannot make the video", "ffmpeg failed; see its output above",
                         "Check that the folder exists and that the disk is not full."};
    }
}

}  // namespace mees

#include "catch.hpp"
#include "mees/core/error.hpp"
#include "mees/video/video.hpp"

using namespace mees;

TEST_CASE("a video is an .mp4, a .gif or a .png")
{
    for (auto const* name : {"a.mp4", "folder.d/a.gif", "a.png"}) {
        CHECK_NOTHROW(require_video_name(name));
    }
    for (auto const* name : {"a.avi", "mp4", "a", ""}) {
        CHECK_THAT(message_of<ConfigError>([&] { require_video_name(name); }),
                   Catch::Matchers::ContainsSubstring(".mp4"));
    }
}

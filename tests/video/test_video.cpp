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

TEST_CASE("a size is two even numbers")
{
    CHECK(parse_video_size("640x360") == std::pair{640, 360});
    CHECK(parse_video_size("16x7680") == std::pair{16, 7680});
    for (auto const* text : {"", "640", "640x", "x360", "641x360", "640x361", "14x16", "7682x16",
                             "640x360x2", "-640x360", "640 x 360", "99999x360"}) {
        INFO(text);
        CHECK_THAT(message_of<ConfigError>([&] { (void)parse_video_size(text); }),
                   Catch::Matchers::ContainsSubstring("two even numbers from 16 to 7680"));
    }
}

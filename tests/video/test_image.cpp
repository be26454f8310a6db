#include "catch.hpp"
#include "mees/video/detail/image.hpp"

using namespace mees;

TEST_CASE("shrink takes the mean of each colour over a block")
{
    Image image{4, 2};
    for (int x = 0; x < 4; ++x) {
        for (int y = 0; y < 2; ++y) {
            image.row(y)[3 * x] = static_cast<std::uint8_t>(10 * x + y);
            image.row(y)[3 * x + 2] = 200;
        }
    }
    auto const small = shrink(image, 2);
    CHECK(small.width == 2);
    CHECK(small.height == 1);
    // Red: (0 + 1 + 10 + 11) / 4 = 5.5 and (20 + 21 + 30 + 31) / 4 = 25.5, rounded up.
    CHECK(small.pixels == std::vector<std::uint8_t>{6, 0, 200, 26, 0, 200});
}

TEST_CASE("paste copies an image to a position within another")
{
    Image part{1, 2};
    part.row(0)[1] = 7;
    part.row(1)[1] = 8;
    Image image{3, 3};
    paste(part, image, 2, 1);
    CHECK(image.row(0)[7] == 0);
    CHECK(image.row(1)[7] == 7);
    CHECK(image.row(2)[7] == 8);
    CHECK_THROWS(paste(part, image, 3, 0));
}

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mees {

/// An image of red, green and blue bytes, row by row from the top.
struct Image {
    Image(int width, int height)
        : width{width}, height{height}, pixels(3 * static_cast<std::size_t>(width * height))
    {
    }

    [[nodiscard]] std::uint8_t* row(int y)
    {
        return pixels.data() + 3 * static_cast<std::size_t>(y * width);
    }
    [[nodiscard]] std::uint8_t const* row(int y) const
    {
        return pixels.data() + 3 * static_cast<std::size_t>(y * width);
    }

    int width;
    int height;
    std::vector<std::uint8_t> pixels;
};

/// The image with each block of `factor` by `factor` pixels replaced by their mean.
[[nodiscard]] Image shrink(Image const& image, int factor);

/// Copies `part` into `image` with its upper left corner at (x, y); it must fit.
void paste(Image const& part, Image& image, int x, int y);

/// The content of a PNG file.
[[nodiscard]] std::string encode_png(Image const& image);

}  // namespace mees

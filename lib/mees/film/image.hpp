#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace mees {

/// A picture of red, green and blue bytes, row by row from the top.
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

/// The picture with each block of `factor` by `factor` pixels as one, their mean.
[[nodiscard]] Image shrink(Image const& image, int factor);

/// Puts `part` into `whole` with its upper left corner at (x, y); it must fit.
void paste(Image const& part, Image& whole, int x, int y);

/// Writes a new PNG file, uncompressed. Throws FilmError.
void write_png(Image const& image, std::filesystem::path const& path);

}  // namespace mees

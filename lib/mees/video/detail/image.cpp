#include "mees/video/detail/image.hpp"

#include "mees/core/error.hpp"

#include <algorithm>

namespace mees {

Image shrink(Image const& image, int factor)
{
    Image small{image.width / factor, image.height / factor};
    int const count = factor * factor;
    for (int y = 0; y < small.height; ++y) {
        for (int x = 0; x < 3 * small.width; ++x) {
            int const first = x / 3 * factor * 3 + x % 3;
            int sum = 0;
            for (int down = 0; down < factor; ++down) {
                for (int across = 0; across < factor; ++across) {
                    sum += image.row(y * factor + down)[first + 3 * across];
                }
            }
            small.row(y)[x] = static_cast<std::uint8_t>((sum + count / 2) / count);
        }
    }
    return small;
}

void paste(Image const& part, Image& image, int x, int y)
{
    expects(x >= 0 && y >= 0 && x + part.width <= image.width && y + part.height <= image.height,
            "a pasted image lies within the other");
    for (int row = 0; row < part.height; ++row) {
        std::copy_n(part.row(row), 3 * part.width, image.row(y + row) + 3 * x);
    }
}

}  // namespace mees

#include "mees/video/detail/image.hpp"

#include "mees/core/error.hpp"

#include <zlib.h>

#include <algorithm>
#include <string>

namespace mees {
namespace {

// PNG: ISO/IEC 15948.

auto bytes_of(std::string const& data)
{
    return reinterpret_cast<Bytef const*>(data.data());
}

void append_big_endian(std::string& bytes, std::size_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(value >> shift & 0xff);
    }
}

std::string chunk(std::string const& type, std::string const& data)
{
    std::string bytes;
    append_big_endian(bytes, data.size());
    auto const content = type + data;
    bytes += content;
    append_big_endian(bytes, crc32_z(0, bytes_of(content), content.size()));
    return bytes;
}

std::string compress(std::string const& data)
{
    auto size = compressBound(data.size());
    std::string compressed(size, '\0');
    auto const status = compress2(reinterpret_cast<Bytef*>(compressed.data()), &size,
                                  bytes_of(data), data.size(), Z_BEST_COMPRESSION);
    expects(status == Z_OK, "a buffer of compressBound bytes holds the compressed data");
    compressed.resize(size);
    return compressed;
}

}  // namespace

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

std::string encode_png(Image const& image)
{
    std::string header;
    append_big_endian(header, static_cast<std::size_t>(image.width));
    append_big_endian(header, static_cast<std::size_t>(image.height));
    header += std::string{"\x08\x02\x00\x00\x00", 5};  // 8 bits of red, green and blue each
    std::string rows;
    for (int y = 0; y < image.height; ++y) {
        rows += '\0';  // not filtered: rendered frames compress best without a filter
        rows.append(reinterpret_cast<char const*>(image.row(y)),
                    3 * static_cast<std::size_t>(image.width));
    }
    std::string bytes{"\x89PNG\r\n\x1a\n"};
    bytes += chunk("IHDR", header);
    bytes += chunk("IDAT", compress(rows));
    bytes += chunk("IEND", "");
    return bytes;
}

}  // namespace mees

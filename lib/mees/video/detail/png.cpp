#include "mees/core/crc32.hpp"
#include "mees/video/detail/image.hpp"
#include "mees/video/detail/video_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <string>

namespace mees {
namespace {

// PNG (ISO/IEC 15948), its data a zlib stream (RFC 1950) of stored blocks (RFC 1951).

void append_big_endian(std::string& bytes, std::uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(value >> shift & 0xff);
    }
}

std::string chunk(std::string const& type, std::string const& data)
{
    std::string bytes;
    append_big_endian(bytes, static_cast<std::uint32_t>(data.size()));
    auto const content = type + data;
    Crc32 crc;
    crc.add(std::as_bytes(std::span{content}));
    bytes += content;
    append_big_endian(bytes, crc.value());
    return bytes;
}

std::uint32_t adler32(std::string const& bytes)
{
    constexpr std::uint32_t prime = 65521;
    std::uint32_t low = 1;
    std::uint32_t high = 0;
    for (char const byte : bytes) {
        low = (low + static_cast<unsigned char>(byte)) % prime;
        high = (high + low) % prime;
    }
    return high << 16 | low;
}

std::string zlib_stored(std::string const& data)
{
    constexpr std::size_t largest = 65535;
    std::string stream{"\x78\x01"};
    for (std::size_t begin = 0; begin < data.size(); begin += largest) {
        auto const size = std::min(largest, data.size() - begin);
        stream += static_cast<char>(begin + size == data.size() ? 1 : 0);
        for (auto const length : {size, ~size}) {
            stream += static_cast<char>(length & 0xff);
            stream += static_cast<char>(length >> 8 & 0xff);
        }
        stream.append(data, begin, size);
    }
    append_big_endian(stream, adler32(data));
    return stream;
}

}  // namespace

void write_png(Image const& image, std::filesystem::path const& path)
{
    std::string header;
    append_big_endian(header, static_cast<std::uint32_t>(image.width));
    append_big_endian(header, static_cast<std::uint32_t>(image.height));
    header += std::string{"\x08\x02\x00\x00\x00", 5};  // 8 bits of red, green and blue each
    std::string rows;
    for (int y = 0; y < image.height; ++y) {
        rows += '\0';  // not filtered
        rows.append(reinterpret_cast<char const*>(image.row(y)),
                    3 * static_cast<std::size_t>(image.width));
    }
    std::ofstream file{path, std::ios::binary};
    file << "\x89PNG\r\n\x1a\n"
         << chunk("IHDR", header) << chunk("IDAT", zlib_stored(rows)) << chunk("IEND", "");
    file.close();
    if (!file) {
        throw VideoError{fmt::format("cannot write {}", path.string()),
                         "the folder is missing or read-only, or the disk is full",
                         "Choose another folder."};
    }
}

}  // namespace mees

#include "catch.hpp"
#include "mees/video/detail/image.hpp"
#include "mees/video/video.hpp"
#include "scratch_folder.hpp"

#include <zlib.h>

#include <fstream>
#include <iterator>
#include <string>

using namespace mees;
using mees::test::ScratchFolder;

namespace {

std::size_t big_endian(std::string const& bytes, std::size_t at)
{
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    }
    return value;
}

/// The content of the chunk at `at`, whose checksum is checked; `at` moves to the next one.
std::string read_chunk(std::string const& file, std::size_t& at, std::string const& type)
{
    auto const size = big_endian(file, at);
    auto const content = file.substr(at + 4, 4 + size);
    CHECK(content.substr(0, 4) == type);
    CHECK(big_endian(file, at + 8 + size)
          == crc32_z(0, reinterpret_cast<Bytef const*>(content.data()), content.size()));
    at += 12 + size;
    return content.substr(4);
}

}  // namespace

TEST_CASE("a PNG file contains the image, compressed")
{
    Image image{200, 100};
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
        image.pixels[i] = static_cast<std::uint8_t>(i / 90);
    }
    auto const file = encode_png(image);
    CHECK(file.size() < image.pixels.size() / 10);
    CHECK(file.starts_with("\x89PNG\r\n\x1a\n"));

    std::size_t at = 8;
    auto const header = read_chunk(file, at, "IHDR");
    CHECK(big_endian(header, 0) == 200);
    CHECK(big_endian(header, 4) == 100);
    auto const data = read_chunk(file, at, "IDAT");
    CHECK(read_chunk(file, at, "IEND").empty());
    CHECK(at == file.size());

    std::string rows((3 * 200 + 1) * 100, '\0');
    uLongf size = rows.size();
    REQUIRE(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size,
                       reinterpret_cast<Bytef const*>(data.data()), data.size())
            == Z_OK);
    REQUIRE(size == rows.size());
    for (int y = 0; y < 100; ++y) {
        auto const row = rows.substr(static_cast<std::size_t>(y) * 601, 601);
        CHECK(row == '\0' + std::string{reinterpret_cast<char const*>(image.row(y)), 600});
    }
}

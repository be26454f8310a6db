#include "storage/damage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace mees::test {
namespace {

std::int64_t size_of(Bytes const& bytes)
{
    return static_cast<std::int64_t>(bytes.size());
}

std::string flip_bits(Bytes& bytes, Stream& stream)
{
    auto const count = 1 + stream.below(4);
    std::string where;
    for (std::int64_t i = 0; i < count; ++i) {
        auto const bit = stream.below(8 * size_of(bytes));
        bytes[static_cast<std::size_t>(bit / 8)] ^= static_cast<unsigned char>(1U << (bit % 8));
        where += fmt::format(" {}.{}", bit / 8, bit % 8);
    }
    return "bits flipped at" + where;
}

std::string overwrite(Bytes& bytes, Stream& stream)
{
    auto const longest = std::min<std::int64_t>(size_of(bytes), 5000);
    auto const length = 1 + stream.below(longest);
    auto const begin = stream.below(size_of(bytes) - length + 1);
    auto const kind = stream.below(3);
    std::generate_n(bytes.begin() + begin, length, [&]() -> unsigned char {
        return kind == 0 ? 0 : kind == 1 ? 255 : static_cast<unsigned char>(stream.below(256));
    });
    return fmt::format("{} bytes from {} overwritten (kind {})", length, begin, kind);
}

}  // namespace

Bytes read_bytes(std::filesystem::path const& path)
{
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

void write_bytes(std::filesystem::path const& path, Bytes const& bytes)
{
    std::ofstream file{path, std::ios::binary | std::ios::trunc};
    std::ranges::copy(bytes, std::ostreambuf_iterator<char>{file});
}

std::string damage(Bytes& bytes, Stream& stream)
{
    switch (stream.below(4)) {
        case 0:
            bytes.resize(static_cast<std::size_t>(stream.below(size_of(bytes))));
            return fmt::format("truncated to {}", bytes.size());
        case 1:
            return overwrite(bytes, stream);
        default:
            return flip_bits(bytes, stream);
    }
}

}  // namespace mees::test

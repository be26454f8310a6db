#include "mees/core/crc32.hpp"

#include <array>

namespace mees {
namespace {

constexpr std::array<std::uint32_t, 256> make_table()
{
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) {
            value = (value & 1) != 0 ? (value >> 1) ^ 0xedb88320 : value >> 1;
        }
        table[i] = value;
    }
    return table;
}

constexpr auto table = make_table();

}  // namespace

void Crc32::add(std::span<std::byte const> bytes)
{
    for (auto const byte : bytes) {
        state_ = table[(state_ ^ static_cast<std::uint32_t>(byte)) & 0xff] ^ (state_ >> 8);
    }
}

}  // namespace mees

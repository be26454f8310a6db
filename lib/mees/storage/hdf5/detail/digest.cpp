#include "mees/storage/hdf5/detail/digest.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace mees {
namespace {

static_assert(std::endian::native == std::endian::little,
              "map files are written as memory holds them");

constexpr std::size_t word_size = sizeof(std::uint64_t);

/// For a given state a bijection of the word, and for a given word one of the state.
constexpr std::uint64_t mixed(std::uint64_t state, std::uint64_t word)
{
    state = (state ^ word) * 0x9e3779b97f4a7c15;
    return state ^ (state >> 32);
}

}  // namespace

void Digest::add(std::span<std::byte const> bytes)
{
    std::size_t position = 0;
    auto filled = static_cast<std::size_t>(length_ % word_size);
    length_ += bytes.size();
    while (position < bytes.size()) {
        if (filled == 0 && bytes.size() - position >= word_size) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data() + position, word_size);
            state_ = mixed(state_, word);
            position += word_size;
            continue;
        }
        partial_ |= static_cast<std::uint64_t>(bytes[position++]) << (8 * filled);
        filled = (filled + 1) % word_size;
        if (filled == 0) {
            state_ = mixed(state_, partial_);
            partial_ = 0;
        }
    }
}

std::uint64_t Digest::value() const
{
    return mixed(mixed(state_, partial_), length_);
}

}  // namespace mees

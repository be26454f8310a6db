#include "mees/storage/hdf5/detail/digest.hpp"

#include <fmt/format.h>

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

/// How much of a dataset is held in memory at once.
constexpr std::int64_t piece_bytes = 1 << 24;

std::uint64_t digest_of(hdf5::Reader const& file, std::string const& dataset)
{
    auto const shape = file.shape(dataset);
    auto const rows = shape.empty() ? 1 : shape.front();
    auto const row_bytes = rows == 0 ? 0 : std::ssize(file.bytes(dataset, 0, 1));
    auto const piece =
        std::max<std::int64_t>(1, piece_bytes / std::max<std::int64_t>(row_bytes, 1));
    Digest digest;
    for (std::int64_t first = 0; first < rows; first += piece) {
        digest.add(file.bytes(dataset, first, std::min(piece, rows - first)));
    }
    return digest.value();
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

void require_intact(hdf5::Reader const& file, std::string const& dataset)
{
    auto const digest = digest_of(file, dataset);
    if (file.has_attribute(dataset, "digest")
        && std::bit_cast<std::uint64_t>(file.integer(dataset, "digest")) != digest) {
        throw file.error(fmt::format("{} is damaged: its digest differs", dataset));
    }
}

void require_intact(hdf5::Reader const& file)
{
    for (auto const& dataset : file.datasets()) {
        require_intact(file, dataset);
    }
}

}  // namespace mees

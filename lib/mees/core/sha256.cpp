#include "mees/core/sha256.hpp"

#include "mees/core/error.hpp"
#include "mees/core/regular_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

namespace mees {
namespace {

using Words = std::array<std::uint32_t, 8>;

constexpr std::size_t block_size = 64;

constexpr Words initial_hash{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::array<std::uint32_t, 64> message_schedule(std::byte const* block)
{
    std::array<std::uint32_t, 64> w{};
    for (std::size_t t = 0; t < 16; ++t) {
        for (std::size_t i = 0; i < 4; ++i) {
            w[t] = (w[t] << 8U) | std::to_integer<std::uint32_t>(block[4 * t + i]);
        }
    }
    for (std::size_t t = 16; t < 64; ++t) {
        auto const a = w[t - 15];
        auto const b = w[t - 2];
        w[t] = w[t - 16] + w[t - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3U))
               + (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10U));
    }
    return w;
}

void compress(Words& hash, std::byte const* block)
{
    auto const w = message_schedule(block);
    auto [a, b, c, d, e, f, g, h] = hash;
    for (std::size_t t = 0; t < 64; ++t) {
        auto const t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25))
                        + ((e & f) ^ (~e & g)) + round_constants[t] + w[t];
        auto const t2 =
            (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    Words const round{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < hash.size(); ++i) {
        hash[i] += round[i];
    }
}

/// Compresses the full blocks at the start of `bytes`; returns the rest.
std::span<std::byte const> compress_blocks(Words& hash, std::span<std::byte const> bytes)
{
    for (; bytes.size() >= block_size; bytes = bytes.subspan(block_size)) {
        compress(hash, bytes.data());
    }
    return bytes;
}

/// Adds the bytes that do not fill a block, the bit 1, zeros, and the length in bits; returns the
/// digits of the result.
std::string finish(Words hash, std::span<std::byte const> tail, std::uint64_t total_bytes)
{
    std::array<std::byte, 128> padded{};
    std::copy(tail.begin(), tail.end(), padded.begin());
    padded[tail.size()] = std::byte{0x80};
    std::size_t const length = tail.size() < 56 ? 64 : 128;
    auto bits = total_bytes * 8;
    for (std::size_t i = 1; i <= 8; ++i, bits >>= 8U) {
        padded[length - i] = static_cast<std::byte>(bits & 0xffU);
    }
    compress_blocks(hash, std::span{padded}.first(length));
    std::string text;
    for (auto const word : hash) {
        text += fmt::format("{:08x}", word);
    }
    return text;
}

}  // namespace

std::string sha256(std::span<std::byte const> bytes)
{
    auto hash = initial_hash;
    auto const tail = compress_blocks(hash, bytes);
    return finish(hash, tail, bytes.size());
}

std::string sha256_of_file(std::filesystem::path const& path)
{
    if (auto const problem = unreadable(path); !problem.empty()) {
        throw FileError{fmt::format("cannot read {}", path.string()), problem,
                        "Check the path and its permissions."};
    }
    std::ifstream file{path, std::ios::binary};
    auto hash = initial_hash;
    std::vector<char> buffer(std::size_t{1} << 20U);
    std::uint64_t total = 0;
    while (file) {
        file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
        auto const bytes =
            std::as_bytes(std::span{buffer}.first(static_cast<std::size_t>(file.gcount())));
        total += bytes.size();
        auto const tail = compress_blocks(hash, bytes);
        if (file.eof()) {
            return finish(hash, tail, total);
        }
    }
    throw FileError{fmt::format("cannot read {}", path.string()), std::strerror(errno),
                    "Check the path and its permissions."};
}

std::string sha256(std::string_view text)
{
    return sha256(std::as_bytes(std::span{text.data(), text.size()}));
}

}  // namespace mees

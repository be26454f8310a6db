#include "mees/core/stream.hpp"

#include "mees/core/error.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

namespace mees {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key)
{
    r123::Philox4x32 const generator;
    auto const block =
        generator({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
    return {block[0], block[1], block[2], block[3]};
}

// Counter words: block number, index, generation, purpose. A block number of 32 bits allows 2^34
// draws per stream.
Stream::Stream(std::uint64_t seed, Purpose purpose, Generation generation, std::int64_t index)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)},
      counter_{0, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(generation.value()),
               static_cast<std::uint32_t>(purpose)}
{
    expects(index >= 0 && index <= std::int64_t{UINT32_MAX}, "stream index in 32 bits");
    expects(generation.value() >= 0 && generation.value() <= std::int64_t{UINT32_MAX},
            "generation in 32 bits");
}

std::uint32_t Stream::next()
{
    if (used_ == block_.size()) {
        block_ = philox(counter_, key_);
        ++counter_[0];
        used_ = 0;
    }
    return block_[used_++];
}

double Stream::uniform()
{
    auto const high = std::uint64_t{next()};
    auto const low = std::uint64_t{next()};
    return static_cast<double>(((high << 32U) | low) >> 11U) * 0x1.0p-53;
}

double Stream::uniform(double lower, double upper)
{
    return lower + (upper - lower) * uniform();
}

std::int64_t Stream::below(std::int64_t count)
{
    expects(count > 0, "a positive count to draw from");
    auto const range = static_cast<std::uint64_t>(count);
    auto const limit = UINT64_MAX - UINT64_MAX % range;
    for (;;) {
        auto const high = std::uint64_t{next()};
        auto const low = std::uint64_t{next()};
        auto const value = (high << 32U) | low;
        if (value < limit) {
            return static_cast<std::int64_t>(value % range);
        }
    }
}

double Stream::normal()
{
    if (has_spare_) {
        has_spare_ = false;
        return spare_normal_;
    }
    double const radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    double const angle = 2.0 * std::numbers::pi * uniform();
    spare_normal_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
}

void Stream::fill_normal(std::span<float> values)
{
    for (auto& value : values) {
        value = static_cast<float>(normal());
    }
}

}  // namespace mees

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

namespace mees {

/// KSmallest for small k: the values are in registers, and new ones are sorted in without a
/// branch.
class FewSmallest {
  public:
    static constexpr std::int64_t most = 12;

    /// k is at most `most`.
    explicit FewSmallest(std::int64_t k) : unused_{static_cast<std::size_t>(most - k)} { clear(); }

    /// Values from here on change nothing.
    [[nodiscard]] double threshold() const { return high_[3]; }
    void offer(double value) { offer(std::span<double const, 1>{&value, 1}); }
    template <std::size_t Count>
    void offer(std::span<double const, Count> values)
    {
        std::array<double, Count> wanted;
        std::size_t count = 0;
        for (double const value : values) {
            wanted[count] = value;
            count += value < threshold() ? 1 : 0;
        }
        insert(std::span{wanted}.first(count));
    }
    void clear()
    {
        sorted_.fill(infinity);
        for (std::size_t i = 0; i < unused_; ++i) {
            sorted_[i] = -infinity;
        }
        std::memcpy(&low_, sorted_.data(), sizeof low_);
        std::memcpy(&middle_, sorted_.data() + 4, sizeof middle_);
        std::memcpy(&high_, sorted_.data() + 8, sizeof high_);
        filled_ = unused_;
    }
    /// Ascending; valid until the next call.
    [[nodiscard]] std::span<double const> values()
    {
        std::memcpy(sorted_.data(), &low_, sizeof low_);
        std::memcpy(sorted_.data() + 4, &middle_, sizeof middle_);
        std::memcpy(sorted_.data() + 8, &high_, sizeof high_);
        return std::span{sorted_}.first(std::min(filled_, sorted_.size())).subspan(unused_);
    }

  private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    using Four = double __attribute__((vector_size(32)));

    static Four smaller(Four a, Four b) { return a < b ? a : b; }
    static Four larger(Four a, Four b) { return a > b ? a : b; }

    /// Each place takes the smaller of itself and the larger of its predecessor and the new value,
    /// so that one above the threshold changes nothing.
    void insert(std::span<double const> values)
    {
        Four low = low_;
        Four middle = middle_;
        Four high = high_;
        for (double const value : values) {
            Four const fresh{value, value, value, value};
            Four const before_low = __builtin_shufflevector(Four{-infinity}, low, 0, 4, 5, 6);
            Four const before_middle = __builtin_shufflevector(low, middle, 3, 4, 5, 6);
            Four const before_high = __builtin_shufflevector(middle, high, 3, 4, 5, 6);
            low = smaller(low, larger(before_low, fresh));
            middle = smaller(middle, larger(before_middle, fresh));
            high = smaller(high, larger(before_high, fresh));
        }
        low_ = low;
        middle_ = middle;
        high_ = high;
        filled_ += values.size();
    }

    std::size_t unused_;     ///< places before the first of the k, smaller than anything
    std::size_t filled_{0};  ///< places that have been taken; more once all are
    Four low_;
    Four middle_;
    Four high_;
    alignas(32) std::array<double, most> sorted_{};
};

}  // namespace mees

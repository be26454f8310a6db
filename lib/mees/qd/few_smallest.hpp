#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

namespace mees {

/// KSmallest for small k: the values stand in registers, and a new one is sorted in without a
/// branch.
class FewSmallest {
  public:
    static constexpr std::int64_t most = 12;

    /// k is at most `most`.
    explicit FewSmallest(std::int64_t k) : k_{static_cast<std::size_t>(k)} { clear(); }

    /// Values from here on change nothing.
    [[nodiscard]] double threshold() const { return threshold_; }
    void offer(double value)
    {
        if (value < threshold_) {
            insert(value);
        }
    }
    void clear()
    {
        low_ = middle_ = high_ = all(infinity);
        threshold_ = infinity;
        offered_ = 0;
    }
    /// Ascending; valid until the next call.
    [[nodiscard]] std::span<double const> values()
    {
        store();
        return std::span{sorted_}.first(offered_ < k_ ? offered_ : k_);
    }

  private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    using Four = double __attribute__((vector_size(32)));

    static Four all(double value) { return Four{value, value, value, value}; }
    static Four smaller(Four a, Four b) { return a < b ? a : b; }
    static Four larger(Four a, Four b) { return a > b ? a : b; }

    /// Each place takes the smaller of itself and the larger of its predecessor and the new value.
    void insert(double value)
    {
        Four const fresh = all(value);
        Four const before_low = __builtin_shufflevector(all(-infinity), low_, 0, 4, 5, 6);
        Four const before_middle = __builtin_shufflevector(low_, middle_, 3, 4, 5, 6);
        Four const before_high = __builtin_shufflevector(middle_, high_, 3, 4, 5, 6);
        low_ = smaller(low_, larger(before_low, fresh));
        middle_ = smaller(middle_, larger(before_middle, fresh));
        high_ = smaller(high_, larger(before_high, fresh));
        ++offered_;
        store();
        threshold_ = sorted_[k_ - 1];
    }
    void store()
    {
        std::memcpy(sorted_.data(), &low_, sizeof low_);
        std::memcpy(sorted_.data() + 4, &middle_, sizeof middle_);
        std::memcpy(sorted_.data() + 8, &high_, sizeof high_);
    }

    std::size_t k_;
    std::size_t offered_{0};
    double threshold_{infinity};
    Four low_;
    Four middle_;
    Four high_;
    alignas(32) std::array<double, most> sorted_{};
};

}  // namespace mees

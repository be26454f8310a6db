#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace mees {

/// An integer identifier of one kind, which cannot be confused with another kind.
template <class Tag>
class StrongId {
  public:
    using value_type = std::int64_t;

    constexpr StrongId() = default;
    constexpr explicit StrongId(value_type value) : value_{value} {}

    [[nodiscard]] constexpr value_type value() const { return value_; }
    constexpr StrongId& operator++()
    {
        ++value_;
        return *this;
    }
    [[nodiscard]] constexpr StrongId next() const { return StrongId{value_ + 1}; }

    friend constexpr auto operator<=>(StrongId, StrongId) = default;

  private:
    value_type value_{0};
};

/// Flat index of a cell of the behaviour space.
using CellId = StrongId<struct CellTag>;
/// 0 is the initial controller; g is the result of the g-th step.
using Generation = StrongId<struct GenerationTag>;
/// First entry of a slice of the shared noise table.
using NoiseOffset = StrongId<struct NoiseTag>;

}  // namespace mees

template <class Tag>
struct std::hash<mees::StrongId<Tag>> {
    std::size_t operator()(mees::StrongId<Tag> id) const noexcept
    {
        return std::hash<std::int64_t>{}(id.value());
    }
};

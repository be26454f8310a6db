#include "mees/policy/activation.hpp"

namespace mees {
namespace {

using namespace tanh_coefficients;

/// Unlike std::clamp free of branches, so that loops over it become vector code.
constexpr float clamped(float x, float limit)
{
    x = x < -limit ? -limit : x;
    return x > limit ? limit : x;
}

template <std::size_t size>
constexpr float polynomial(std::array<float, size> const& coefficients, float x)
{
    float sum = coefficients[0];
    for (std::size_t i = 1; i < size; ++i) {
        sum = sum * x + coefficients[i];
    }
    return sum;
}

constexpr float tangent(float x)
{
    float const inside = clamped(x, saturated);
    float const square = inside * inside;
    return clamped(inside * polynomial(numerator, square) / polynomial(denominator, square), 1.F);
}

}  // namespace

void apply_tanh(std::span<float> values)
{
    for (auto& value : values) {
        value = tangent(value);
    }
}

}  // namespace mees

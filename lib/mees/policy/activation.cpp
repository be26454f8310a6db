#include "mees/policy/activation.hpp"

#include <array>

namespace mees {
namespace {

/// Beyond this the nearest float to tanh is 1.
constexpr float saturated = 9.02F;

// The rational function whose worst relative error on [0, saturated] is least (1e-9), among those
// of these degrees that are 1 at 0; highest power first. Rounding adds what is left.
constexpr std::array numerator{5.09016473e-08F, 3.16313926e-05F, 0.00401052739F, 0.137869671F, 1.F};
constexpr std::array denominator{7.40137229e-10F, 1.6206734e-06F, 0.000421100471F,
                                 0.0277448706F,   0.471202999F,   1.F};

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

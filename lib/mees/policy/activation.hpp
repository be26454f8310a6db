#pragma once

#include <array>
#include <span>

namespace mees {

/// The coefficients of this tanh, for code elsewhere that repeats the same operations.
namespace tanh_coefficients {

/// Beyond this the nearest float to tanh is 1.
inline constexpr float saturated = 9.02F;

// The rational function whose worst relative error on [0, saturated] is least (1e-9), among those
// of these degrees that are 1 at 0; highest power first. Rounding adds the remaining error.
inline constexpr std::array numerator{5.09016473e-08F, 3.16313926e-05F, 0.00401052739F,
                                      0.137869671F, 1.F};
inline constexpr std::array denominator{7.40137229e-10F, 1.6206734e-06F, 0.000421100471F,
                                        0.0277448706F,   0.471202999F,   1.F};

}  // namespace tanh_coefficients

/// Replaces every value x by tanh(x), within 4e-7 and never beyond +-1; a NaN stays one.
///
/// Made of single-precision operations that IEEE 754 rounds exactly, in a fixed order: x is clamped
/// to +-9.02, then x p(x^2) / q(x^2), both by Horner's rule, clamped to +-1. So the same bits come
/// out on any machine and from any language that does the same; C libraries differ in theirs.
void apply_tanh(std::span<float> values);

}  // namespace mees

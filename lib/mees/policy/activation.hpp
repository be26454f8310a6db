#pragma once

#include <span>

namespace mees {

/// Replaces every value x by tanh(x), within 4e-7 and never beyond +-1; a NaN stays one.
///
/// Made of single-precision operations that IEEE 754 rounds exactly, in a fixed order: x is clamped
/// to +-9.02, then x p(x^2) / q(x^2), both by Horner's rule, clamped to +-1. So the same bits come
/// out on any machine and from any language that does the same; C libraries differ in theirs.
void apply_tanh(std::span<float> values);

}  // namespace mees

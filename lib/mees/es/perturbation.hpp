#pragma once

#include "mees/evaluation/batch.hpp"

#include <cstdint>
#include <span>

namespace mees {

/// The parameters of one member of a group (see Group), computed when they are asked for. Group,
/// noise and the centre's parameters must outlive it.
class Perturbation {
  public:
    Perturbation(Group const& group, std::int64_t member, std::span<float const> noise,
                 std::span<float const> centre);

    [[nodiscard]] std::int64_t size() const { return std::ssize(centre_); }
    /// Writes the parameters from `first` on to `part`.
    void operator()(std::int64_t first, std::span<float> part) const;

  private:
    Group const& group_;
    std::span<float const> centre_;
    std::span<float const> slice_;  ///< of the noise; empty: none
    float sigma_{0};                ///< with the member's sign
    std::span<float const> coefficients_;
};

/// Writes all parameters of one member.
void perturb(Group const& group, std::int64_t member, std::span<float const> noise,
             std::span<float> parameters);

}  // namespace mees

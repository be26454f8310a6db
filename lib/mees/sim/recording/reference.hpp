#pragma once

#include "mees/sim/recording/recording.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mees {

class DomainRegistry;

/// The difference between this program and a recording in one quantity.
struct Deviation {
    std::string quantity;
    double early{0};                           ///< largest over the steps that must agree
    double all{0};                             ///< largest over all steps
    std::optional<std::int64_t> first_beyond;  ///< first step beyond the tolerance
};

struct ReferenceCheck {
    static constexpr std::int64_t early_steps = 100;
    static constexpr double tolerance = 1e-6;
    static constexpr double model_tolerance = 1e-9;

    std::vector<Deviation> model;
    std::vector<Deviation> trajectory;

    /// Whether model figures are within model_tolerance and the early steps within tolerance.
    [[nodiscard]] bool passed() const;
};

/// Sets up the recording's domain by its configuration, starts it in the recorded initial state and
/// runs the recorded actions. Bodies that only the recording's model has are not compared. Throws
/// FileError for a domain that cannot be made or that has other sizes than the recording.
[[nodiscard]] ReferenceCheck check_reference(Recording const& recording,
                                             DomainRegistry const& domains);

}  // namespace mees

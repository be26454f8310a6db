#pragma once

#include "mees/rollout/episode_runner.hpp"

#include <string>

namespace mees {

/// What must be equal on two processes whose episodes shall be bit-identical.
struct Fingerprint {
    std::string models;  ///< SHA-256 of each domain's compiled model, or its sizes; by commas
    std::string trial;   ///< SHA-256 of numbers that this process computes

    friend bool operator==(Fingerprint const&, Fingerprint const&) = default;
};

/// Of this process. Takes some milliseconds: evaluates the mathematical functions that physics and
/// policies use, on many arguments, and runs the first steps of an episode if the first domain has
/// a model. Domains without one (sleeping, or in another process) are not run.
[[nodiscard]] Fingerprint fingerprint(RolloutSetup const& setup);

/// As one line, and back.
[[nodiscard]] std::string to_text(Fingerprint const& fingerprint);
[[nodiscard]] Fingerprint fingerprint_from(std::string const& text);

}  // namespace mees

#pragma once

#include "mees/algorithms/registry.hpp"
#include "mees/sim/registry.hpp"

namespace mees {

/// What a program can run: the domains and algorithms of mees, and any that its author adds.
struct Catalogue {
    DomainRegistry domains{};
    AlgorithmRegistry algorithms{};

    [[nodiscard]] KnownNames names() const { return {domains.known(), algorithms.known()}; }
};

}  // namespace mees

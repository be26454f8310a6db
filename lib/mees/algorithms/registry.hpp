#pragma once

#include "mees/algorithms/algorithm.hpp"

#include <string>
#include <vector>

namespace mees {

/// The algorithms that a program knows by name: those that come with mees, and any that it adds.
class AlgorithmRegistry {
  public:
    /// Those that come with mees.
    AlgorithmRegistry();

    /// The name must be new.
    void add(AlgorithmType type);

    /// The algorithm of that name. Throws ConfigError if there is none.
    [[nodiscard]] AlgorithmType const& find(std::string const& name) const;
    [[nodiscard]] std::vector<KnownName> known() const;

  private:
    std::vector<AlgorithmType> types_;
};

}  // namespace mees

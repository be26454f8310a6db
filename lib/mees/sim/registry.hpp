#pragma once

#include "mees/config/known_names.hpp"
#include "mees/sim/task.hpp"

#include <functional>
#include <string>
#include <vector>

namespace mees {

using DomainPtr = std::shared_ptr<Domain const>;
/// Makes the undamaged domain.
using DomainMaker = std::function<DomainPtr(DomainSettings const&)>;

/// The domains that a program knows by name: the built-in ones and those it adds.
class DomainRegistry {
  public:
    /// The built-in ones.
    DomainRegistry();

    /// The name must be new. The domain may use any key of [domain].
    void add(std::string name, DomainMaker make);

    [[nodiscard]] std::vector<KnownName> known() const;
    /// The domain of that name, with its options and damage applied. Throws ConfigError for an
    /// unknown name or option value, FileError for a model that does not compile.
    [[nodiscard]] DomainPtr make(DomainSettings const& settings) const;

  private:
    struct Entry {
        KnownName known;
        DomainMaker make;
    };
    std::vector<Entry> entries_;
};

}  // namespace mees

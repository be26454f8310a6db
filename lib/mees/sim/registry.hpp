#pragma once

#include "mees/sim/task.hpp"

#include <functional>
#include <string>
#include <utility>
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

    /// The name must be new.
    void add(std::string name, DomainMaker make);

    [[nodiscard]] std::vector<std::string> names() const;
    /// The domain of that name, with its options and damage applied. Throws ConfigError for an
    /// unknown name or option value, FileError for a model that does not compile.
    [[nodiscard]] DomainPtr make(DomainSettings const& settings) const;

  private:
    std::vector<std::pair<std::string, DomainMaker>> makers_;
};

// One per file of tasks/.
[[nodiscard]] DomainPtr make_ant(DomainSettings const& settings);
[[nodiscard]] DomainPtr make_ant_maze(DomainSettings const& settings);
[[nodiscard]] DomainPtr make_deceptive_humanoid(DomainSettings const& settings);
[[nodiscard]] DomainPtr make_mjcf(DomainSettings const& settings);
[[nodiscard]] DomainPtr make_point_maze(DomainSettings const& settings);
[[nodiscard]] DomainPtr make_sleep(DomainSettings const& settings);

}  // namespace mees

#pragma once

#include "mees/navigation/navigator.hpp"

#include <memory>
#include <span>
#include <vector>

namespace mees {

/// Navigation as a domain, so that evaluators run it: an episode is a walk to all targets, one
/// control step of it is an action of the Navigator. What a controller outputs has no effect; the
/// BC is the list of the actions that were made, see `steps_of`.
class NavigationDomain final : public Domain {
  public:
    /// Throws ConfigError for a robot that cannot navigate.
    NavigationDomain(std::shared_ptr<Domain const> robot, RepertoirePtr repertoire, Course course,
                     NavigationSettings const& settings);

    [[nodiscard]] TaskSpec const& spec() const override { return spec_; }
    [[nodiscard]] std::unique_ptr<Task> make_task() const override;
    [[nodiscard]] std::unique_ptr<Navigator> make_navigator() const;
    [[nodiscard]] std::shared_ptr<Domain const> const& robot() const { return robot_; }

  private:
    std::shared_ptr<Domain const> robot_;
    RepertoirePtr repertoire_;
    Course course_;
    NavigationSettings settings_;
    TaskSpec spec_;
};

/// The actions in the BC of an episode: their number, then nine numbers for each.
[[nodiscard]] std::vector<NavigationStep> steps_of(std::span<double const> bc);

}  // namespace mees

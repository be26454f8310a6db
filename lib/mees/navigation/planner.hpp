#pragma once

#include "mees/core/stream.hpp"
#include "mees/navigation/displacement_model.hpp"
#include "mees/navigation/way_points.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace mees {

/// Defaults are those of the authors' source, except curiosity (theirs is 1).
struct PlannerSettings {
    std::int64_t iterations{1000};  ///< of each tree
    std::int64_t trees{4};
    std::int64_t candidates{100};  ///< elites of which a new action is the best
    std::int64_t depth{20};
    double exploration{50};  ///< c of the upper confidence bound
    double curiosity{0};     ///< k: the weight of an action's uncertainty in the final choice
    double discount{0.9};
    friend bool operator==(PlannerSettings const&, PlannerSettings const&) = default;
};

/// A task to plan for: from `start` to the target of the way-points.
struct PlannedTask {
    Arena const* arena;
    WayPoints const* way_points;
    GroundPoint target;
    GroundPose start;
};

/// What is known of an action that the tree's root has tried.
struct RootAction {
    Eigen::Index action{0};
    double value{0};  ///< sum of the returns
    std::int64_t visits{0};
};

/// One tree of a Monte-Carlo tree search with progressive widening, of actions and of outcomes.
///
/// Entering a state is worth -1000 (a collision), 100 (the target) or 0; the first two end a
/// search. Draws its random numbers from one stream, so it is a pure function of its arguments.
class SearchTree {
  public:
    SearchTree(PlannedTask const& task, DisplacementModel const& model,
               PlannerSettings const& settings, Stream& stream);

    /// One search from the root. Returns its discounted return.
    double iterate() { return visit(0, 0); }
    [[nodiscard]] std::vector<RootAction> root() const;
    [[nodiscard]] std::size_t states() const { return states_.size(); }

  private:
    struct Outcome {
        std::size_t state;
        std::int64_t visits;
    };
    struct Choice {
        RootAction tried;
        std::vector<Outcome> outcomes;
    };
    struct State {
        GroundPose pose;
        double reward{0};
        bool ends{false};
        std::int64_t visits{0};
        std::vector<Choice> choices;
    };
    struct Reached {
        std::size_t state;
        bool is_new;
    };

    double visit(std::size_t state, std::int64_t depth);
    [[nodiscard]] double roll_out(GroundPose pose, std::int64_t depth);
    [[nodiscard]] std::size_t choose(std::size_t state);
    [[nodiscard]] Eigen::Index promising_action(GroundPose const& pose);
    [[nodiscard]] Reached reach(std::size_t state, std::size_t choice);
    [[nodiscard]] GroundPose draw(GroundPose const& from, Eigen::Index action);
    [[nodiscard]] State enter(GroundPose const& from, GroundPose const& to) const;

    PlannedTask task_;
    DisplacementModel const& model_;
    PlannerSettings const& settings_;
    Stream& stream_;
    std::vector<State> states_;
};

/// The same actions of several trees as one: values and visits added; ascending by action.
[[nodiscard]] std::vector<RootAction> merge(std::vector<std::vector<RootAction>> const& roots);

/// The action with the largest value / visits + curiosity * S * deviation, the first of them at a
/// tie; S is the spread of value / visits over the actions divided by the prior variance.
[[nodiscard]] Eigen::Index best_action(std::vector<RootAction> const& actions,
                                       DisplacementModel const& model, double curiosity);

/// Searches in all trees and chooses. `check` is called every few iterations; it may throw.
[[nodiscard]] Eigen::Index plan(PlannedTask const& task, DisplacementModel const& model,
                                PlannerSettings const& settings, Stream& stream,
                                std::function<void()> const& check);

}  // namespace mees

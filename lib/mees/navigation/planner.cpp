#include "mees/navigation/planner.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace mees {
namespace {

constexpr double collision_reward = -1000;
constexpr double target_reward = 100;
constexpr double action_widening = 0.5;
constexpr double outcome_widening = 0.6;
constexpr double same_heading = 0.3;  ///< radians
constexpr std::int64_t iterations_per_check = 32;

GroundPoint place_of(GroundPose const& pose)
{
    return {pose.x, pose.y};
}

bool widens(std::int64_t visits, double exponent, std::size_t present)
{
    return std::pow(static_cast<double>(visits), exponent) > static_cast<double>(present);
}

bool same_outcome(GroundPose const& a, GroundPose const& b, double radius)
{
    return distance(place_of(a), place_of(b)) < radius
           && a.cos * b.cos + a.sin * b.sin > std::cos(same_heading);
}

double mean_value(RootAction const& tried)
{
    return tried.value / static_cast<double>(tried.visits);
}

}  // namespace

SearchTree::SearchTree(PlannedTask const& task, DisplacementModel const& model,
                       PlannerSettings const& settings, Stream& stream)
    : task_{task}, model_{model}, settings_{settings}, stream_{stream}
{
    states_.push_back({.pose = task.start, .choices = {}});
}

std::vector<RootAction> SearchTree::root() const
{
    std::vector<RootAction> tried;
    for (auto const& choice : states_.front().choices) {
        tried.push_back(choice.tried);
    }
    return tried;
}

SearchTree::State SearchTree::enter(GroundPose const& from, GroundPose const& to) const
{
    State state{.pose = to, .choices = {}};
    if (task_.arena->collides(place_of(from), place_of(to))) {
        state.reward = collision_reward;
        state.ends = true;
    } else if (distance(place_of(to), task_.target) < task_.arena->goal_radius()) {
        state.reward = target_reward;
        state.ends = true;
    }
    return state;
}

GroundPose SearchTree::draw(GroundPose const& from, Eigen::Index action)
{
    auto const mean = model_.mean(action);
    double const deviation = model_.deviation(action);
    auto const value = [&](double centre, double lower, double upper) {
        return deviation > 0 ? std::clamp(centre + deviation * stream_.normal(), lower, upper)
                             : centre;
    };
    auto const& limits = model_.repertoire();
    double const x = value(mean.x, limits.lower.x, limits.upper.x);
    double const y = value(mean.y, limits.lower.y, limits.upper.y);
    double const c = value(mean.cos, -1, 1);
    double const s = value(mean.sin, -1, 1);
    return moved(from, {x, y, c, s});
}

/// Of some random actions the one that is expected to come closest to the next way-point.
Eigen::Index SearchTree::promising_action(GroundPose const& pose)
{
    auto const goal = task_.way_points->next(place_of(pose));
    Eigen::Index best = 0;
    double closest = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < settings_.candidates; ++i) {
        auto const action = static_cast<Eigen::Index>(stream_.below(model_.actions()));
        auto const place = place_of(moved(pose, model_.mean(action)));
        double const away = distance(place, goal);
        if (i == 0 || (away < closest && !task_.arena->collides(place_of(pose), place))) {
            best = action;
            closest = i == 0 && task_.arena->collides(place_of(pose), place)
                          ? std::numeric_limits<double>::infinity()
                          : away;
        }
    }
    return best;
}

std::size_t SearchTree::choose(std::size_t state)
{
    auto& choices = states_[state].choices;
    auto const visits = states_[state].visits;
    if (widens(visits, action_widening, choices.size())) {
        auto const action = promising_action(states_[state].pose);
        auto const known = std::ranges::find_if(
            choices, [&](Choice const& choice) { return choice.tried.action == action; });
        if (known == choices.end()) {
            choices.push_back({{.action = action}, {}});
            return choices.size() - 1;
        }
        return static_cast<std::size_t>(known - choices.begin());
    }
    double const logarithm = std::log(static_cast<double>(visits) + 1);
    auto const bound = [&](Choice const& choice) {
        return mean_value(choice.tried)
               + 2 * settings_.exploration
                     * std::sqrt(logarithm / static_cast<double>(choice.tried.visits));
    };
    return static_cast<std::size_t>(std::ranges::max_element(choices, {}, bound) - choices.begin());
}

/// The outcome of a choice: a new one while there are few, else one in proportion to its visits.
SearchTree::Reached SearchTree::reach(std::size_t state, std::size_t choice)
{
    auto const from = states_[state].pose;
    auto const tried = states_[state].choices[choice].tried;
    auto& outcomes = states_[state].choices[choice].outcomes;
    if (widens(tried.visits + 1, outcome_widening, outcomes.size())) {
        auto entered = enter(from, draw(from, tried.action));
        for (auto& outcome : outcomes) {
            if (same_outcome(states_[outcome.state].pose, entered.pose,
                             task_.arena->goal_radius())) {
                ++outcome.visits;
                return {outcome.state, false};
            }
        }
        outcomes.push_back({states_.size(), 1});
        states_.push_back(std::move(entered));
        return {states_.size() - 1, true};
    }
    std::int64_t total = 0;
    for (auto const& outcome : outcomes) {
        total += outcome.visits;
    }
    auto drawn = stream_.below(total);
    auto chosen = outcomes.begin();
    while (drawn >= chosen->visits) {
        drawn -= chosen->visits;
        ++chosen;
    }
    ++chosen->visits;
    return {chosen->state, false};
}

double SearchTree::roll_out(GroundPose pose, std::int64_t depth)
{
    double weight = 1;
    for (; depth < settings_.depth; ++depth) {
        auto const action = static_cast<Eigen::Index>(stream_.below(model_.actions()));
        auto const entered = enter(pose, draw(pose, action));
        if (entered.ends) {
            return weight * entered.reward;
        }
        weight *= settings_.discount;
        pose = entered.pose;
    }
    return 0;
}

double SearchTree::visit(std::size_t state, std::int64_t depth)
{
    if (states_[state].ends || depth >= settings_.depth) {
        return 0;
    }
    ++states_[state].visits;
    auto const choice = choose(state);
    auto const reached = reach(state, choice);
    double value = states_[reached.state].reward;
    if (!states_[reached.state].ends) {
        value += settings_.discount
                 * (reached.is_new ? roll_out(states_[reached.state].pose, depth + 1)
                                   : visit(reached.state, depth + 1));
    }
    auto& tried = states_[state].choices[choice].tried;
    tried.value += value;
    ++tried.visits;
    return value;
}

std::vector<RootAction> merge(std::vector<std::vector<RootAction>> const& roots)
{
    std::map<Eigen::Index, RootAction> sums;
    for (auto const& root : roots) {
        for (auto const& tried : root) {
            auto& sum = sums[tried.action];
            sum.action = tried.action;
            sum.value += tried.value;
            sum.visits += tried.visits;
        }
    }
    std::vector<RootAction> merged;
    for (auto const& [action, sum] : sums) {
        merged.push_back(sum);
    }
    return merged;
}

Eigen::Index best_action(std::vector<RootAction> const& actions, DisplacementModel const& model,
                         double curiosity)
{
    expects(!actions.empty(), "at least one action");
    auto const [lowest, highest] = std::ranges::minmax(actions, {}, mean_value);
    double const spread = (mean_value(highest) - mean_value(lowest)) / model.prior_variance();
    auto const worth = [&](RootAction const& tried) {
        return mean_value(tried) + curiosity * spread * model.deviation(tried.action);
    };
    return std::ranges::max_element(actions, {}, worth)->action;
}

Eigen::Index plan(PlannedTask const& task, DisplacementModel const& model,
                  PlannerSettings const& settings, Stream& stream,
                  std::function<void()> const& check)
{
    std::vector<std::vector<RootAction>> roots;
    for (std::int64_t i = 0; i < settings.trees; ++i) {
        SearchTree tree{task, model, settings, stream};
        for (std::int64_t iteration = 0; iteration < settings.iterations; ++iteration) {
            if (iteration % iterations_per_check == 0) {
                check();
            }
            static_cast<void>(tree.iterate());
        }
        roots.push_back(tree.root());
    }
    return best_action(merge(roots), model, settings.curiosity);
}

}  // namespace mees

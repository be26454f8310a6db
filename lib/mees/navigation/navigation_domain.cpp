#include "mees/navigation/navigation_domain.hpp"

#include "mees/core/error.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace mees {
namespace {

using StepNumbers = std::array<double, 9>;

StepNumbers numbers_of(NavigationStep const& step)
{
    return {static_cast<double>(step.target),
            static_cast<double>(step.cell.value()),
            step.pose.x,
            step.pose.y,
            step.pose.cos,
            step.pose.sin,
            step.predicted.x,
            step.predicted.y,
            step.collision ? 1.0 : 0.0};
}

class NavigationTask final : public Task {
  public:
    explicit NavigationTask(std::unique_ptr<Navigator> navigator) : navigator_{std::move(navigator)}
    {
    }

    void watch(std::function<bool()> const& dropped) override { dropped_ = &dropped; }
    void reset(Stream& stream) override { navigator_->reset(stream); }
    void observe(std::span<double> observation) const override
    {
        std::ranges::fill(observation, 0.0);
    }
    void step(std::span<double const>) override
    {
        if (!navigator_->finished()) {
            navigator_->act([this] {
                if (dropped_ != nullptr && *dropped_ && (*dropped_)()) {
                    throw EpisodeDropped{};
                }
            });
        }
    }
    [[nodiscard]] double reward() const override { return -1; }
    [[nodiscard]] std::span<double const> terms() const override { return terms_; }
    [[nodiscard]] bool terminated() const override { return navigator_->finished(); }
    [[nodiscard]] bool diverged() const override { return navigator_->diverged(); }
    [[nodiscard]] double fitness() const override
    {
        return -static_cast<double>(navigator_->steps().size());
    }
    void behaviour(std::span<double> bc) const override
    {
        std::ranges::fill(bc, 0.0);
        bc.front() = static_cast<double>(navigator_->steps().size());
        auto to = bc.begin() + 1;
        for (auto const& step : navigator_->steps()) {
            to = std::ranges::copy(numbers_of(step), to).out;
        }
    }

  private:
    std::unique_ptr<Navigator> navigator_;
    std::function<bool()> const* dropped_{nullptr};
    std::array<double, 1> terms_{-1};
};

}  // namespace

NavigationDomain::NavigationDomain(std::shared_ptr<Domain const> robot, RepertoirePtr repertoire,
                                   Course course, NavigationSettings const& settings)
    : robot_{std::move(robot)},
      repertoire_{std::move(repertoire)},
      course_{std::move(course)},
      settings_{settings}
{
    auto const actions = std::ssize(course_.targets) * settings.max_actions;
    auto const numbers = static_cast<std::size_t>(actions) * StepNumbers{}.size();
    spec_.name = "navigation";
    spec_.observation_size = 1;
    spec_.action_size = 1;
    spec_.episode_steps = actions;
    spec_.reward_terms = {"action"};
    spec_.bc_names.resize(1 + numbers);
    spec_.model_sha256 = robot_->spec().model_sha256;
    static_cast<void>(make_navigator());
}

std::unique_ptr<Navigator> NavigationDomain::make_navigator() const
{
    return std::make_unique<Navigator>(*robot_, repertoire_, course_, settings_);
}

std::unique_ptr<Task> NavigationDomain::make_task() const
{
    return std::make_unique<NavigationTask>(make_navigator());
}

std::vector<NavigationStep> steps_of(std::span<double const> bc)
{
    constexpr auto size = StepNumbers{}.size();
    auto const count = static_cast<std::size_t>(bc.front());
    expects(bc.size() >= 1 + count * size, "the actions are in the BC");
    std::vector<NavigationStep> steps;
    for (std::size_t i = 0; i < count; ++i) {
        auto const row = bc.subspan(1 + i * size, size);
        steps.push_back({.target = static_cast<std::int64_t>(row[0]),
                         .cell = CellId{static_cast<std::int64_t>(row[1])},
                         .pose = {row[2], row[3], row[4], row[5]},
                         .predicted = {row[6], row[7]},
                         .collision = row[8] != 0});
    }
    return steps;
}

}  // namespace mees

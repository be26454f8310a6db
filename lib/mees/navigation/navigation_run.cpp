#include "mees/navigation/navigation_run.hpp"

#include "mees/adaptation/recovery.hpp"

#include <algorithm>
#include <memory>

namespace mees {
namespace {

/// Walks differ in length, and a round ends with its last: a few of them per worker.
constexpr std::size_t walks_per_worker = 3;

Batch batch_of(std::span<NavigationJob const> jobs, std::uint64_t seed)
{
    auto const shape = navigation_network();
    auto const controller = std::make_shared<Controller const>(Controller{
        Eigen::VectorXf::Zero(shape.parameter_count()), Normaliser::identity(shape.inputs())});
    Batch batch{.seed = seed, .groups = {}};
    for (auto const& job : jobs) {
        Group group;
        group.centre = controller;
        group.generation = stream_generation(job.damage);
        group.kind = EpisodeKind::trial;
        group.variant = job.variant;
        group.first_stream = job.seed;
        batch.groups.push_back(std::move(group));
    }
    return batch;
}

}  // namespace

NetworkShape navigation_network()
{
    return NetworkShape{{1, 1}};
}

Stream stream_of(NavigationJob const& job, std::uint64_t seed)
{
    auto const batch = batch_of(std::span{&job, 1}, seed);
    return episode_of(batch, 0).reset;
}

std::vector<TargetResult> results_of(std::vector<NavigationStep> const& steps, Course const& course)
{
    Arena const arena{course.arena};
    std::vector<TargetResult> results(course.targets.size());
    GroundPose last;
    auto next = steps.begin();
    for (std::size_t i = 0; i < results.size(); ++i) {
        for (; next != steps.end() && next->target == static_cast<std::int64_t>(i); ++next) {
            ++results[i].actions;
            results[i].collisions += next->collision ? 1 : 0;
            last = next->pose;
        }
        results[i].reached = distance({last.x, last.y}, course.targets[i]) < arena.goal_radius();
    }
    return results;
}

double mean_actions(NavigationResult const& result, std::int64_t max_actions)
{
    double sum = 0;
    for (auto const& target : result.targets) {
        sum += static_cast<double>(target.reached ? target.actions : max_actions);
    }
    return sum / static_cast<double>(result.targets.size());
}

bool navigate(std::span<NavigationJob const> jobs, Course const& course,
              NavigationSettings const& settings, std::uint64_t seed, Evaluator& evaluator,
              StopToken& stop,
              std::function<void(std::vector<NavigationResult> const&)> const& done)
{
    auto const together = walks_per_worker * static_cast<std::size_t>(evaluator.workers());
    while (!jobs.empty()) {
        auto const round = jobs.first(std::min(together, jobs.size()));
        auto const outcomes = evaluator.evaluate(batch_of(round, seed), stop);
        if (!outcomes) {
            return false;
        }
        std::vector<NavigationResult> results;
        for (std::size_t i = 0; i < round.size(); ++i) {
            auto steps = steps_of(outcomes->bc(static_cast<std::int64_t>(i)));
            auto targets = results_of(steps, course);
            results.push_back({round[i].damage, round[i].seed, settings.learning,
                               std::move(targets), std::move(steps)});
        }
        done(results);
        jobs = jobs.subspan(round.size());
    }
    return true;
}

}  // namespace mees

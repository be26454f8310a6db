#include "mees/programs/detail/episode_cost.hpp"

#include "mees/core/stopwatch.hpp"
#include "mees/report/format.hpp"
#include "mees/rollout/replayer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mees {

EpisodeCost time_episode(SearchProblem const& problem, std::shared_ptr<Domain const> const& domain)
{
    auto const& network = problem.network;
    auto const controller = std::make_shared<Controller const>(Controller{
        Eigen::VectorXf::Zero(network.parameter_count()), Normaliser::identity(network.inputs())});
    Replayer const replayer{make_rollout(problem.settings, domain), controller, 1};
    Stopwatch const watch;
    auto const episodes = replayer.run(1, 1);
    return {episodes.front().outcome.steps, watch.seconds()};
}

std::string time_estimate(Estimate const& estimate, TaskSpec const& spec, EpisodeCost const& cost,
                          unsigned cores)
{
    auto const steps =
        static_cast<double>(estimate.episodes) * static_cast<double>(spec.episode_steps);
    double const seconds =
        steps * cost.seconds / static_cast<double>(std::max<std::int64_t>(cost.steps, 1));
    std::string text;
    auto const add = [&](std::string_view name, std::string const& value) {
        text += line(name, 25, value);
    };
    add("one episode",
        fmt::format("{:.3g} s for {} steps, measured on one core", cost.seconds, cost.steps));
    add("core-hours", fmt::format("up to {:.3g}; less if episodes end early", seconds / 3600));
    add("time here", fmt::format("up to {} on {} core{}", duration(seconds / cores), cores,
                                 cores == 1 ? "" : "s"));
    return text;
}

}  // namespace mees

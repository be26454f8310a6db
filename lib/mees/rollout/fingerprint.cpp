#include "mees/rollout/fingerprint.hpp"

#include "mees/core/sha256.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace mees {
namespace {

constexpr std::int64_t trial_steps = 20;
constexpr std::int64_t function_arguments = 2000;

/// Appends what the mathematical library makes of many arguments: its functions may be rounded
/// differently by another version, or on another CPU.
void append_functions(std::vector<double>& numbers)
{
    Stream stream{1, Purpose::test, Generation{0}, 0};
    for (std::int64_t i = 0; i < function_arguments; ++i) {
        double const x = 4 * stream.normal();
        double const y = stream.normal();
        auto const single = static_cast<float>(x);
        for (double const value :
             {std::sin(x), std::cos(x), std::tan(x), std::exp(x), std::log(std::abs(x)),
              std::tanh(x), std::atan2(x, y), std::asin(std::tanh(y)), std::acos(std::tanh(y)),
              std::pow(std::abs(x), y), static_cast<double>(std::exp(single)),
              static_cast<double>(std::tanh(single))}) {
            numbers.push_back(value);
        }
    }
}

/// Appends actions, observations and rewards of the first steps of an episode.
void append_trial(RolloutSetup const& setup, std::vector<double>& numbers)
{
    auto const& shape = setup.network;
    auto const controller = std::make_shared<Controller>(
        Controller{xavier_parameters(shape, Stream{2, Purpose::test, Generation{0}, 0}),
                   Normaliser::identity(shape.inputs())});
    Batch batch;
    batch.groups.push_back(replay_group(controller, 1));
    EpisodeRunner runner{setup, {}};
    std::vector<double> observation(static_cast<std::size_t>(shape.inputs()));
    std::vector<double> bc(setup.domains.at(0)->spec().bc_names.size());
    std::int64_t steps = 0;
    (void)runner.run(
        episode_of(batch, 0), bc, [&] { return steps > trial_steps; },
        [&](Task const& task, std::span<double const> action) {
            ++steps;
            task.observe(observation);
            numbers.insert(numbers.end(), action.begin(), action.end());
            numbers.insert(numbers.end(), observation.begin(), observation.end());
            numbers.push_back(task.fitness());
        });
}

}  // namespace

Fingerprint fingerprint(RolloutSetup const& setup)
{
    Fingerprint found;
    for (auto const& domain : setup.domains) {
        found.models += found.models.empty() ? "" : ",";
        auto const& spec = domain->spec();
        found.models += spec.model_sha256.empty()
                            ? fmt::format("{}:{}:{}:{}", spec.observation_size, spec.action_size,
                                          spec.episode_steps, fmt::join(spec.bc_names, ":"))
                            : spec.model_sha256;
    }
    std::vector<double> numbers;
    append_functions(numbers);
    if (!setup.domains.at(0)->spec().model_sha256.empty()) {
        append_trial(setup, numbers);
    }
    found.trial = sha256(std::as_bytes(std::span{numbers}));
    return found;
}

std::string to_text(Fingerprint const& fingerprint)
{
    return fingerprint.trial + " " + fingerprint.models;
}

Fingerprint fingerprint_from(std::string const& text)
{
    auto const space = text.find(' ');
    return {space == std::string::npos ? "" : text.substr(space + 1), text.substr(0, space)};
}

}  // namespace mees

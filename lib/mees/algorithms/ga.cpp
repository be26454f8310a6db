#include "mees/algorithms/population_search.hpp"
#include "mees/algorithms/selection.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>

namespace mees {
namespace {

/// The genetic algorithm of Such et al. (2017): truncation selection by fitness, and an elite that
/// is found by evaluating the fittest again.
class Fittest final : public Selection {
  public:
    [[nodiscard]] std::vector<std::size_t> order(State const& /*state*/,
                                                 std::span<Measured const> members,
                                                 std::span<double const> /*novelties*/,
                                                 std::span<double const> /*bcs*/) const override
    {
        std::vector<double> fitness;
        for (auto const& member : members) {
            fitness.push_back(member.fitness);
        }
        return descending(fitness);
    }
    [[nodiscard]] Mode mode() const override { return Mode::exploit; }
    [[nodiscard]] bool has_elite() const override { return true; }
};

void check_ga(Settings const& settings)
{
    check_population_search(settings);
    auto const& algorithm = settings.algorithm;
    if (algorithm.elite_candidates < 2 || algorithm.truncation < 2) {
        bool const truncated = algorithm.truncation < 2;
        throw ConfigError{
            fmt::format("invalid algorithm.{} = {}", truncated ? "truncation" : "elite_candidates",
                        truncated ? algorithm.truncation : algorithm.elite_candidates),
            "the elite so far would be the only candidate, so that none could replace it",
            "Set algorithm.elite_candidates and algorithm.truncation to at least 2."};
    }
    if (algorithm.elite_candidates > algorithm.truncation) {
        throw ConfigError{
            fmt::format("invalid algorithm.elite_candidates = {}", algorithm.elite_candidates),
            fmt::format("it must be at most algorithm.truncation, which is {}",
                        algorithm.truncation),
            fmt::format("Set algorithm.elite_candidates to at most {}.", algorithm.truncation)};
    }
}

}  // namespace

AlgorithmType ga()
{
    return {
        .known = {"ga",
                  {{KeyGroup::children, KeyGroup::truncation, KeyGroup::elite, KeyGroup::novelty}}},
        .make = make_population_search<Fittest>,
        .size =
            [](AlgorithmSettings const& settings) {
                auto size = population_search_size(settings);
                ++size.optimised;
                size.repeated = settings.elite_candidates * settings.elite_episodes;
                return size;
            },
        .check = check_ga};
}

}  // namespace mees

#include "mees/algorithms/population_search.hpp"
#include "mees/algorithms/selection.hpp"
#include "mees/core/error.hpp"

namespace mees {
namespace {

/// Novelty search by mutation (Lehman and Stanley 2011a; as GA-NS of Such et al. 2017).
class MostNovel final : public Selection {
  public:
    [[nodiscard]] std::vector<std::size_t> order(State const& /*state*/,
                                                 std::span<Measured const> /*members*/,
                                                 std::span<double const> novelties,
                                                 std::span<double const> /*bcs*/) const override
    {
        return descending(novelties);
    }
    [[nodiscard]] Mode mode() const override { return Mode::explore; }
};

/// Novelty search with local competition (Lehman and Stanley 2011b): the Pareto ranking of novelty
/// and local competition.
class LocalCompetition final : public Selection {
  public:
    [[nodiscard]] std::vector<std::size_t> order(State const& state,
                                                 std::span<Measured const> members,
                                                 std::span<double const> novelties,
                                                 std::span<double const> bcs) const override
    {
        std::vector<double> fitness;
        for (auto const& member : members) {
            fitness.push_back(member.fitness);
        }
        return pareto_order(novelties,
                            local_competition(state.archive, state.archive_fitness, bcs, fitness));
    }
    [[nodiscard]] bool keeps_archive_fitness() const override { return true; }
};

void check_novelty_search(Settings const& settings)
{
    check_population_search(settings);
    auto const& algorithm = settings.algorithm;
    if (algorithm.children > 1 && algorithm.truncation == algorithm.children) {
        throw ConfigError{
            fmt::format("invalid algorithm.truncation = {}", algorithm.truncation),
            "every child would become a parent, so that nothing is selected",
            fmt::format("Set algorithm.truncation to at most {}.", algorithm.children - 1)};
    }
    if (algorithm.children == 1 && algorithm.archive_probability == 0) {
        throw ConfigError{
            "invalid algorithm.archive_probability = 0 with algorithm.children = 1",
            "the archive stays empty, and a child has nothing from which it could differ",
            "Set algorithm.archive_probability or algorithm.children to a larger value."};
    }
}

template <class S>
AlgorithmType novelty_search_type(std::string name)
{
    return {.known = {std::move(name),
                      {{KeyGroup::children, KeyGroup::truncation, KeyGroup::archive_sample,
                        KeyGroup::novelty}}},
            .make = make_population_search<S>,
            .size = population_search_size,
            .check = check_novelty_search};
}

}  // namespace

AlgorithmType ns()
{
    return novelty_search_type<MostNovel>("ns");
}

AlgorithmType nslc()
{
    return novelty_search_type<LocalCompetition>("nslc");
}

}  // namespace mees

#include "mees/benchmark/bench.hpp"
#include "mees/benchmark/detail/subjects.hpp"
#include "mees/benchmark/goals.hpp"
#include "mees/cluster/codec.hpp"
#include "mees/es/noise_table.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/rollout/threads.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>

namespace mees::bench {
namespace {

/// Seconds that the episodes of a paper-sized generation of the Ant take on 512 ranks.
constexpr double generation_seconds = 10'000 * 1000 * 210e-6 / 511;

/// A search in progress: `size` elites, archive entries and generations.
State grown_state(SearchProblem const& problem, std::int64_t size)
{
    auto state = initial_state(problem);
    auto const controller = std::make_shared<Controller>(
        Controller{state.emitters[0].theta, state.observations.normaliser()});
    Stream stream{1, Purpose::test, Generation{0}};
    for (std::int64_t i = 0; i < size; ++i) {
        std::vector<double> bc(static_cast<std::size_t>(problem.space.dimensions()));
        for (auto& value : bc) {
            value = stream.uniform();
        }
        auto const cell = problem.space.cell_of(bc);
        Elite elite;
        elite.controller = controller;
        elite.bc = bc;
        elite.fitness = stream.normal();
        elite.generation = Generation{i};
        elite.archive_entry = state.archive.size();
        elite.inserted = i;
        state.map.restore(cell, elite);
        state.archive.add(bc);
        GenerationRecord record;
        record.generation = Generation{i};
        state.history.push_back(record);
    }
    state.generation = Generation{size};
    return state;
}

BatchResult drawn_result(Batch const& batch, std::int64_t bc_size, int seed)
{
    BatchResult result{batch.episodes(), bc_size};
    Stream stream{static_cast<std::uint64_t>(seed), Purpose::test, Generation{1}};
    for (auto& outcome : result.outcomes) {
        outcome.fitness = stream.normal();
        outcome.steps = 1000;
    }
    for (auto& value : result.bcs) {
        value = stream.uniform();
    }
    return result;
}

/// Sums, and perhaps novelties, that take no time: on a cluster other ranks compute them.
class WithoutShared final : public NoiseSource {
  public:
    WithoutShared(std::span<float const> values, bool novelties)
        : values_{values}, novelties_{novelties}
    {
    }

    [[nodiscard]] std::span<float const> values() const override { return values_; }
    [[nodiscard]] Eigen::VectorXf weighted_sum(std::span<NoiseOffset const>, std::span<float const>,
                                               std::int64_t size) override
    {
        return Eigen::VectorXf::Zero(size);
    }
    [[nodiscard]] std::vector<double> novelties(NoveltyArchive const& archive,
                                                std::span<double const> bcs) override
    {
        // Else as many, and different ones, so that they take as long to rank.
        return novelties_
                   ? archive.novelties(bcs)
                   : std::vector(bcs.begin(), bcs.begin() + std::ssize(bcs) / archive.dimensions());
    }

  private:
    std::span<float const> values_;
    bool novelties_;
};

/// Seconds from the last result of a generation until the next one can be sent.
/// `size` as for grown_state.
std::vector<double> update_seconds(Settings settings, std::int64_t size, std::int64_t population,
                                   int repeats, NoiseSource& noise)
{
    settings.es.population = population;
    settings.algorithm.mode = SearchMode::explore;
    settings.run.generations = 1'000'000;
    settings.noise.table_size = static_cast<std::int64_t>(noise.values().size());
    auto const problem = problem_of(settings);
    auto const algorithm = make_algorithm(problem, grown_state(*problem, size));
    std::vector<double> seconds;
    std::vector<std::byte> message;
    auto batch = algorithm->ask();
    for (int i = 0; i < repeats; ++i) {
        auto const result = drawn_result(batch, problem->space.dimensions(), i);
        double const begin = processor_seconds();
        algorithm->tell(batch, result, noise);
        batch = algorithm->ask();
        message.resize(static_cast<std::size_t>(encoded_size(batch)));
        encode_batch(batch, message);
        seconds.push_back(processor_seconds() - begin);
    }
    return seconds;
}

struct Population {
    std::int64_t offspring;
    char const* name;
};
constexpr std::array populations{Population{10'000, "10,000"}, Population{100'000, "100,000"}};

/// The Ant's update without what a cluster shares; that of domains with other numbers of
/// parameters.
void measure_unshared(Table& table, std::span<float const> values, int repeats)
{
    WithoutShared without_sums{values, true};
    WithoutShared without_both{values, false};
    auto const add = [&](std::string const& what, std::string const& domain,
                         Population const& population, NoiseSource& noise) {
        table.add(
            "generation", what, "s",
            update_seconds(paper_settings(domain), 10'000, population.offspring, repeats, noise));
    };
    for (auto const& population : populations) {
        add(fmt::format("update but for the gradient, {} offspring", population.name), "ant",
            population, without_sums);
        add(fmt::format("update but for gradient and novelties, {} offspring", population.name),
            "ant", population, without_both);
    }
    for (std::string const domain : {"ant_maze", "deceptive_humanoid"}) {
        auto const parameters = problem_of(paper_settings(domain))->network.parameter_count();
        for (auto const& population : populations) {
            add(fmt::format("update but for gradient and novelties, {} offspring, {},{:03} "
                            "parameters",
                            population.name, parameters / 1000, parameters % 1000),
                domain, population, without_both);
        }
    }
}

}  // namespace

void measure_update(Table& table, Options const& options)
{
    auto const values = make_noise_table(options.quick ? 25'000'000 : 250'000'000, 42, 2);
    int const repeats = options.quick ? 5 : 15;
    ThreadNoise noise{values, 1};
    auto const ant = paper_settings("ant");
    auto const small = update_seconds(ant, 1'000, 10'000, repeats, noise);
    auto const large = update_seconds(ant, 10'000, 10'000, repeats, noise);
    table.add("generation", "update, map and archive of 1,000, one core", "s", small,
              goals::update_seconds);
    table.add("generation", "update, map and archive of 10,000", "s", large, goals::update_seconds);
    double const growth = (generation_seconds + spread_of(large).median)
                          / (generation_seconds + spread_of(small).median);
    table.add("generation", "growth of a generation on 512 ranks at 10x", "x", {growth},
              goals::growth);
    measure_unshared(table, values, repeats);
}

}  // namespace mees::bench

#include "mees/experiment/problem.hpp"

#include "mees/core/error.hpp"
#include "mees/core/regular_file.hpp"
#include "mees/core/resources.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/qd/centroids.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <ostream>
#include <sstream>

namespace mees {
namespace {

/// The configured list, or the domain's if it is empty. Both must have the same length.
template <class T>
std::vector<T> fitting(std::vector<T> const& given, std::vector<T> const& of_domain,
                       std::string_view key, std::string_view domain)
{
    if (given.empty()) {
        return of_domain;
    }
    if (given.size() != of_domain.size()) {
        throw ConfigError{
            fmt::format("invalid {} with {} entries", key, given.size()),
            fmt::format("the domain {} has a BC of {} dimensions", domain, of_domain.size()),
            fmt::format("Set {} entries, or remove {} to use the domain's.", of_domain.size(),
                        key)};
    }
    return given;
}

void require_possible_grid(std::vector<std::int64_t> const& bins, std::string_view domain)
{
    double const cells = grid_cells(bins);
    if (cells > MapSettings::most_cells) {
        throw ConfigError{
            fmt::format("invalid map with {:g} cells", cells),
            fmt::format("the domain {} has a BC of {} dimensions, and the limit is {:g} cells",
                        domain, bins.size(), MapSettings::most_cells),
            fmt::format("Set map.bins to {} smaller numbers, or map.type to \"cvt\".",
                        bins.size())};
    }
}

std::vector<double> read_centroids(std::string const& file, std::size_t dimensions)
{
    if (auto const problem = unreadable(file); !problem.empty()) {
        throw FileError{fmt::format("cannot read {}, the value of map.cvt_file", file), problem,
                        "Set map.cvt_file to a text file with one centroid per line."};
    }
    std::ifstream input{file};
    std::vector<double> centroids;
    std::string line;
    for (int number = 1; std::getline(input, line); ++number) {
        std::ranges::replace(line, ',', ' ');
        std::istringstream words{line};
        std::vector<double> row{std::istream_iterator<double>{words}, {}};
        bool const blank = line.find_first_not_of(" \t\r") == std::string::npos;
        if (blank || line.front() == '#') {
            continue;
        }
        if (row.size() != dimensions || !words.eof()) {
            throw FileError{fmt::format("invalid centroid in {}, line {}", file, number),
                            fmt::format("expected {} numbers", dimensions),
                            "Write one centroid per line, numbers separated by spaces or commas."};
        }
        centroids.insert(centroids.end(), row.begin(), row.end());
    }
    if (centroids.empty()) {
        throw FileError{fmt::format("invalid centroid file {}", file), "it contains no centroid",
                        "Write one centroid per line, numbers separated by spaces or commas."};
    }
    return centroids;
}

/// Lloyd's centroids; shows its progress every few seconds, as a large map takes a while.
std::vector<double> compute_centroids(MapSettings const& settings, std::span<double const> lower,
                                      std::span<double const> upper, CentroidEffort effort)
{
    LloydSettings lloyd{settings.cvt_cells, settings.cvt_samples,
                        static_cast<std::uint64_t>(settings.cvt_seed)};
    lloyd.threads = effort.threads;
    if (effort.placeholders) {
        lloyd.iterations = 0;
    }
    Stopwatch watch;
    return lloyd_centroids(lloyd, lower, upper, [&](int iteration) {
        if (effort.progress != nullptr && watch.seconds() > effort.seconds_between_lines) {
            *effort.progress << fmt::format(
                "computing {} centroids of the map: iteration {} of {}\n", lloyd.cells, iteration,
                lloyd.iterations)
                             << std::flush;
            watch.restart();
        }
    });
}

/// domain.training_without as indices of the domain's reward terms.
std::vector<std::int64_t> terms_left_out(DomainSettings const& settings, TaskSpec const& spec)
{
    std::vector<std::int64_t> terms;
    for (auto const& name : settings.training_without) {
        auto const term = std::ranges::find(spec.reward_terms, name);
        if (term == spec.reward_terms.end()) {
            throw ConfigError{
                fmt::format("invalid domain.training_without: \"{}\" is not a reward term", name),
                fmt::format("the domain {} has {}", spec.name, fmt::join(spec.reward_terms, ", ")),
                "Name one of these terms."};
        }
        terms.push_back(term - spec.reward_terms.begin());
    }
    if (!terms.empty() && terms.size() == spec.reward_terms.size()) {
        throw ConfigError{"invalid domain.training_without",
                          fmt::format("it names every reward term of the domain {}", spec.name),
                          "Keep at least one term."};
    }
    return terms;
}

/// Counts of a generation's episodes are integers of 64 bits, with room to multiply.
void require_possible_sizes(Settings const& settings, AlgorithmType const& algorithm)
{
    constexpr double most_episodes = 1e15;
    auto const size = algorithm.size(settings.algorithm);
    auto const product = [](auto... factors) { return (static_cast<double>(factors) * ... * 1.0); };
    auto const n_eval = settings.algorithm.n_eval;
    auto const each = size.measures_offspring ? n_eval : settings.es.episodes_per_offspring;
    double const episodes = product(size.populations, settings.es.population, each)
                            + product(size.measured, n_eval) + static_cast<double>(size.repeated);
    if (episodes > most_episodes) {
        throw ConfigError{
            fmt::format("invalid sizes: {:g} episodes per generation", episodes),
            fmt::format("{} makes at most {:g}", settings.algorithm.name, most_episodes),
            "Set smaller populations (es.population, algorithm.emitters, algorithm.children) or "
            "fewer episodes (algorithm.n_eval, es.episodes_per_offspring)."};
    }
}

/// The state that an elite is to keep is that of an optimiser which has one.
void require_possible_inheritance(EsSettings const& es, AlgorithmType const& algorithm)
{
    if (es.optimizer_state == OptimiserMemory::inherit && es.optimizer == OptimiserKind::sgd
        && algorithm.known.names(KeyGroup::parent_cells)) {
        throw ConfigError{
            fmt::format("invalid es.optimizer_state = \"{}\" with es.optimizer = \"{}\"",
                        name_of(es.optimizer_state), name_of(es.optimizer)),
            "this optimiser has no state", "Remove es.optimizer_state, or choose adam or clipup."};
    }
}

/// Chains need time for the last link to act.
void require_possible_chains(Settings const& all, TaskSpec const& spec,
                             AlgorithmType const& algorithm)
{
    auto const& settings = all.algorithm;
    auto const links = most_links(settings, algorithm);
    if (links == 1) {
        return;
    }
    if (settings.chain_append == 0 && all.run.start_from.empty()) {
        throw ConfigError{
            fmt::format("invalid algorithm.chain_append = 0 with chain_links = {}", links),
            "no link would ever be appended",
            "Set algorithm.chain_append to a larger value, or remove chain_links."};
    }
    if (settings.chain_steps > (spec.episode_steps - 1) / (links - 1)) {
        throw ConfigError{
            fmt::format("invalid algorithm.chain_steps = {}", settings.chain_steps),
            fmt::format("{} links act for {} control steps before the last, and an episode of the "
                        "domain {} has {}",
                        links - 1, settings.chain_steps * (links - 1), spec.name,
                        spec.episode_steps),
            fmt::format("Set chain_steps to at most {}, or fewer chain_links.",
                        (spec.episode_steps - 1) / (links - 1))};
    }
}

}  // namespace

std::int64_t most_links(AlgorithmSettings const& settings, AlgorithmType const& algorithm)
{
    return algorithm.known.names(KeyGroup::chains) ? settings.chain_links : 1;
}

NetworkShape make_network(PolicySettings const& settings, TaskSpec const& spec)
{
    std::vector<std::int64_t> layers{spec.observation_size};
    layers.insert(layers.end(), settings.hidden.begin(), settings.hidden.end());
    layers.push_back(spec.action_size);
    return NetworkShape{std::move(layers), settings.output};
}

BehaviourSpace make_space(MapSettings const& settings, TaskSpec const& spec, CentroidEffort effort)
{
    auto lower = fitting(settings.lower, spec.bc_lower, "map.lower", spec.name);
    auto upper = fitting(settings.upper, spec.bc_upper, "map.upper", spec.name);
    for (std::size_t axis = 0; axis < lower.size(); ++axis) {
        if (!(lower[axis] < upper[axis])) {
            throw ConfigError{fmt::format("invalid map bounds {1}..{2} on axis {0}", axis,
                                          lower[axis], upper[axis]),
                              "the lower bound must be below the upper bound",
                              "Change map.lower or map.upper."};
        }
    }
    switch (settings.type) {
        case MapType::grid: {
            auto bins = fitting(settings.bins, spec.bc_bins, "map.bins", spec.name);
            require_possible_grid(bins, spec.name);
            return {std::move(bins), std::move(lower), std::move(upper)};
        }
        case MapType::cvt:
            break;
    }
    auto const asked = [&] {
        return settings.cvt_file.empty()
                   ? fmt::format("map.cvt_cells = {} and map.cvt_samples = {}", settings.cvt_cells,
                                 settings.cvt_samples)
                   : fmt::format("map.cvt_file = {}", settings.cvt_file);
    };
    return with_resources(asked, [&] {
        auto centroids = settings.cvt_file.empty()
                             ? compute_centroids(settings, lower, upper, effort)
                             : read_centroids(settings.cvt_file, lower.size());
        return BehaviourSpace::voronoi(std::move(centroids), std::move(lower), std::move(upper));
    });
}

std::string sizes_of(SearchProblem const& problem)
{
    auto const& settings = problem.settings;
    auto const size = problem.size();
    std::vector<std::string> keys;
    if (size.populations > 0) {
        keys.push_back(fmt::format("es.population = {}", settings.es.population));
    }
    if (size.measured > size.optimised) {
        keys.push_back(fmt::format("algorithm.children = {}", settings.algorithm.children));
    }
    if (size.optimised > 1) {
        keys.push_back(
            fmt::format("{} controllers at once (algorithm.emitters or parents)", size.optimised));
    }
    keys.push_back(fmt::format("algorithm.n_eval = {}", settings.algorithm.n_eval));
    keys.push_back(fmt::format("{} parameters (policy.hidden)", problem.network.parameter_count()));
    return fmt::format("{}", fmt::join(keys, ", "));
}

SearchProblemPtr make_problem(Settings const& settings, TaskSpec const& spec,
                              AlgorithmRegistry const& algorithms, CentroidEffort effort)
{
    // Everything is checked before the cells are computed, which may take a while.
    auto const& algorithm = algorithms.find(settings.algorithm.name);
    algorithm.check(settings);
    require_possible_sizes(settings, algorithm);
    require_possible_inheritance(settings.es, algorithm);
    require_possible_chains(settings, spec, algorithm);
    static_cast<void>(terms_left_out(settings.domain, spec));
    auto network = make_network(settings.policy, spec);
    auto const parameters = network.parameter_count();
    if (settings.noise.table_size < 2 * parameters) {
        throw ConfigError{
            fmt::format("invalid noise.table_size = {}", settings.noise.table_size),
            fmt::format(
                "a controller has {} parameters, and the table must have twice as many entries",
                parameters),
            fmt::format("Set noise.table_size to at least {}.", 2 * parameters)};
    }
    return std::make_shared<SearchProblem const>(SearchProblem{
        settings, std::move(network), make_space(settings.map, spec, effort), algorithm});
}

RolloutSetup make_rollout(Settings const& settings, std::shared_ptr<Domain const> const& domain)
{
    auto const& spec = domain->spec();
    return {{domain},
            make_network(settings.policy, spec),
            settings.policy.observation_clip,
            terms_left_out(settings.domain, spec),
            settings.algorithm.chain_steps};
}

}  // namespace mees

#include "mees/experiment/start_elites.hpp"

#include "mees/core/error.hpp"
#include "mees/core/sha256.hpp"
#include "mees/experiment/problem.hpp"
#include "mees/storage/checkpoint/newest_map.hpp"
#include "mees/storage/map/file.hpp"
#include "mees/storage/map/lookup.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mees {
namespace {

void require_match(MapDocument const& map, SearchProblem const& problem, TaskSpec const& spec)
{
    auto const& file = problem.settings.run.start_from;
    if (map.network != problem.network) {
        auto const described = [](NetworkShape const& network) {
            return fmt::format("{} ({})", fmt::join(network.layers(), " x "),
                               name_of(network.output()));
        };
        throw FileError{fmt::format("cannot start from {}", file),
                        fmt::format("its network is {}, this run's is {}", described(map.network),
                                    described(problem.network)),
                        "Set [policy] to the network of that map, or start from another one."};
    }
    if (map.bc_names != spec.bc_names) {
        throw FileError{fmt::format("cannot start from {}", file),
                        fmt::format("its BC is {}, this run's is {}", fmt::join(map.bc_names, ", "),
                                    fmt::join(spec.bc_names, ", ")),
                        "Start from a map with the same BC names."};
    }
}

/// Chains can be continued by a search whose links act for as long.
void require_possible_links(std::vector<Elite const*> const& elites, RunInfo const& run,
                            SearchProblem const& problem)
{
    std::int64_t longest = 1;
    for (auto const* const elite : elites) {
        longest = std::max(longest, links_of(elite->controller));
    }
    auto const& settings = problem.settings.algorithm;
    auto const stored = stored_settings(run).algorithm.chain_steps;
    auto const most = most_links(settings, problem.algorithm);
    if (longest == 1 || (longest <= most && stored == settings.chain_steps)) {
        return;
    }
    if (!problem.algorithm.known.names(KeyGroup::chains)) {
        throw FileError{
            fmt::format("cannot start from {}", problem.settings.run.start_from),
            fmt::format("it contains chains of controllers, and {} does not make chains",
                        settings.name),
            "Set algorithm.name to me-es or memes, or choose other cells with run.start_cells."};
    }
    throw FileError{
        fmt::format("cannot start from {}", problem.settings.run.start_from),
        fmt::format("its chains have up to {} links of {} control steps, this run's {} of {}",
                    longest, stored, most, settings.chain_steps),
        fmt::format("Set algorithm.chain_links to at least {} and algorithm.chain_steps to {}, or "
                    "choose other cells with run.start_cells.",
                    longest, stored)};
}

/// Whether cycles of this run continue with the optimisers of that one: the state of one kind of
/// optimiser means nothing to another.
bool hands_on_optimisers(RunInfo const& run, SearchProblem const& problem)
{
    auto const& es = problem.settings.es;
    return es.optimizer_state == OptimiserMemory::inherit
           && es.optimizer == stored_settings(run).es.optimizer;
}

std::vector<CellId> cells_in(std::string const& list)
{
    auto cells = parse_cell_list(list);
    if (!cells) {
        throw ConfigError{fmt::format("invalid run.start_cells = \"{}\"", list),
                          "it must be \"all\", \"best\" or ids of cells such as \"12,407\"",
                          "List cells as mees_inspect cells prints them."};
    }
    return std::move(*cells);
}

std::vector<CellId> chosen_cells(EliteMap const& map, RunSettings const& settings)
{
    if (settings.start_cells == "best") {
        auto const best = best_cell(map);
        return best ? std::vector{*best} : std::vector<CellId>{};
    }
    if (settings.start_cells != "all") {
        return cells_in(settings.start_cells);
    }
    std::vector<CellId> cells;
    for (auto const& [cell, elite] : map.elites()) {
        cells.push_back(cell);
    }
    return cells;
}

}  // namespace

WarmStart read_warm_start(SearchProblem const& problem, TaskSpec const& spec)
{
    auto const& run = problem.settings.run;
    warn_of_newer_changes(run.start_from);
    auto map = read_map(run.start_from);
    require_match(map, problem, spec);
    std::vector<Elite const*> elites;
    for (auto const cell : chosen_cells(map.state.map, run)) {
        auto const* const elite = map.state.map.find(cell);
        if (elite == nullptr) {
            throw FileError{fmt::format("cannot start from {}", run.start_from),
                            fmt::format("its cell {} is empty or does not exist", cell.value()),
                            "Set run.start_cells to filled cells; mees_inspect cells lists them."};
        }
        elites.push_back(elite);
    }
    if (elites.empty()) {
        throw FileError{fmt::format("cannot start from {}", run.start_from),
                        "it contains no elites", "Start from another map."};
    }
    require_possible_links(elites, map.run, problem);
    std::ranges::stable_sort(elites, std::greater{}, &Elite::fitness);
    WarmStart warm{
        .start = {.observations = std::move(map.state.observations)},
        .origin = fmt::format("{} (sha256 {})", run.start_from, sha256_of_file(run.start_from))};
    bool const keeps_optimisers = hands_on_optimisers(map.run, problem);
    for (auto const* const elite : elites) {
        warm.start.elites.push_back(
            {elite->controller, std::nullopt, keeps_optimisers ? elite->optimiser : nullptr});
    }
    return warm;
}

}  // namespace mees

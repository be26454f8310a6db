#include "mees/experiment/start_elites.hpp"

#include "mees/core/error.hpp"
#include "mees/core/sha256.hpp"
#include "mees/storage/map/file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

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

std::vector<CellId> cells_in(std::string const& list)
{
    std::vector<CellId> cells;
    for (std::size_t begin = 0, comma = 0; begin <= list.size(); begin = comma + 1) {
        comma = std::min(list.find(',', begin), list.size());
        auto const text = std::string_view{list}.substr(begin, comma - begin);
        std::int64_t number = 0;
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || end != text.data() + text.size() || number < 0) {
            throw ConfigError{fmt::format("invalid run.start_cells = \"{}\"", list),
                              "it must be \"all\", \"best\" or ids of cells such as \"12,407\"",
                              "List cells as mees_inspect cells prints them."};
        }
        cells.emplace_back(number);
    }
    return cells;
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
    std::ranges::stable_sort(elites, std::greater{}, &Elite::fitness);
    WarmStart warm{
        .start = {.observations = std::move(map.state.observations)},
        .origin = fmt::format("{} (sha256 {})", run.start_from, sha256_of_file(run.start_from))};
    for (auto const* const elite : elites) {
        warm.start.elites.push_back({elite->controller, std::nullopt, elite->optimiser});
    }
    return warm;
}

}  // namespace mees

#include "mees/inspection/commands.hpp"
#include "mees/storage/map_file.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mees::inspect {
namespace {

void line(std::ostream& out, std::string_view name, std::string const& value)
{
    fmt::print(out, "{:<12}{}\n", name, value);
}

std::string duration(double seconds)
{
    auto const whole = static_cast<std::int64_t>(seconds);
    return whole < 60 ? fmt::format("{:.1f} s", seconds)
                      : fmt::format("{}h{:02}m{:02}s", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string cells_of(BehaviourSpace const& space)
{
    return space.is_grid()
               ? fmt::format("{} = {} cells", fmt::join(space.bins(), " x "), space.cells())
               : fmt::format("{} Voronoi cells", space.cells());
}

void describe_run(MapReader const& map, std::ostream& out)
{
    auto const& run = map.run();
    line(out, "run", fmt::format("{} on {}, seed {}", run.algorithm, run.domain, run.seed));
    line(out, "written",
         fmt::format("{} by mees {} ({}), MuJoCo {}, format {}.{}", run.created, run.mees_version,
                     run.git_commit, run.mujoco_version, map.format_version().major,
                     map.format_version().minor));
    line(out, "generation", fmt::format("{}", map.generation().value()));
    line(out, "episodes", fmt::format("{} ({} steps)", map.episodes(), map.steps()));
    line(out, "wall time",
         fmt::format("{}, {} restart{}", duration(run.wall_seconds), run.restarts,
                     run.restarts == 1 ? "" : "s"));
    line(out, "controller",
         fmt::format("{}, {} parameters", fmt::join(map.network().layers(), " - "),
                     map.network().parameter_count()));
}

void describe_space(MapReader const& map, std::ostream& out)
{
    auto const& space = map.space();
    std::vector<std::string> axes;
    for (std::size_t axis = 0; axis < map.bc_names().size(); ++axis) {
        axes.push_back(fmt::format("{} in {:g}..{:g}", map.bc_names()[axis], space.lower()[axis],
                                   space.upper()[axis]));
    }
    line(out, "behaviour", fmt::format("{}", fmt::join(axes, ", ")));
    line(out, "cells", cells_of(space));
}

void describe_elites(MapReader const& map, std::ostream& out)
{
    auto const elites = map.elites();
    auto const filled = static_cast<double>(elites.size());
    line(out, "filled",
         fmt::format("{} ({:.2f} %)", elites.size(),
                     100 * filled / static_cast<double>(map.space().cells())));
    double score = 0;
    std::vector<double> fitness;
    for (auto const& [cell, elite] : elites) {
        score += elite.fitness - map.qd_offset();
        fitness.push_back(elite.fitness);
    }
    line(out, "QD score", fmt::format("{:.6g} (offset {:g})", score, map.qd_offset()));
    if (elites.empty()) {
        return;
    }
    auto const best = std::ranges::max_element(
        elites, {}, [](auto const& entry) { return entry.second.fitness; });
    line(out, "best",
         fmt::format("{:.6g} +- {:.3g} in cell {}, behaviour ({:.4g}), generation {}",
                     best->second.fitness, best->second.fitness_std, best->first.value(),
                     fmt::join(best->second.bc, ", "), best->second.generation.value()));
    std::ranges::sort(fitness);
    line(out, "fitness",
         fmt::format("median {:.6g}, lowest {:.6g}", fitness[fitness.size() / 2], fitness.front()));
}

}  // namespace

ExitCode summary(std::filesystem::path const& file, std::ostream& out)
{
    MapReader const map{file};
    fmt::print(out, "{}\n", file.string());
    describe_run(map, out);
    describe_space(map, out);
    describe_elites(map, out);
    auto const dimensions = static_cast<std::size_t>(map.space().dimensions());
    line(out, "archive", fmt::format("{} behaviours", map.archive().size() / dimensions));
    auto const history = map.history();
    if (!history.empty() && history.back().diverged > 0) {
        line(out, "diverged", fmt::format("{} episodes", history.back().diverged));
    }
    return ExitCode::success;
}

}  // namespace mees::inspect

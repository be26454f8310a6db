#include "mees/experiment/map_repertoire.hpp"

#include "mees/config/task_description.hpp"
#include "mees/core/error.hpp"
#include "mees/storage/map/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mees {
namespace {

/// Where the displacement begins in the BC.
std::size_t displacement_in(MapReader const& map, Domain const& robot)
{
    std::size_t first = 0;
    if (auto const document = robot.document()) {
        for (auto const& part : parse_description(document->description, "the domain").bc) {
            if (part.kind == CharacterKind::relative) {
                return first;
            }
            first += part.names.size();
        }
    }
    throw FileError{fmt::format("cannot navigate with {}", map.file().path().string()),
                    "its BC does not contain the displacement of the robot",
                    "Use a map of a domain with bc = \"displacement\", such as that of "
                    "configs/ant_navigate.toml."};
}

}  // namespace

Repertoire repertoire_of(MapReader const& map, Domain const& robot, Settings const& settings,
                         std::optional<double> least_fitness)
{
    auto const first = displacement_in(map, robot);
    if (std::ranges::any_of(map.links(), [](auto links) { return links > 1; })) {
        throw FileError{fmt::format("cannot navigate with {}", map.file().path().string()),
                        "it contains chains of controllers", "Use a map without chains."};
    }
    auto const elites = map.elites();
    Repertoire repertoire;
    std::vector<std::int64_t> rows;
    for (std::size_t row = 0; row < elites.size(); ++row) {
        if (!least_fitness || elites[row].second.fitness >= *least_fitness) {
            rows.push_back(static_cast<std::int64_t>(row));
        }
    }
    if (rows.empty()) {
        throw FileError{
            fmt::format("cannot navigate with {}", map.file().path().string()),
            elites.empty() ? "it is empty" : "no elite has the fitness of --min-fitness",
            "Use a map that a search has filled, or a lower --min-fitness."};
    }
    auto const& space = map.space();
    auto const size = static_cast<Eigen::Index>(rows.size());
    repertoire.points.resize(size, space.dimensions());
    repertoire.outcomes.resize(size, 4);
    for (Eigen::Index i = 0; i < size; ++i) {
        auto const row = rows[static_cast<std::size_t>(i)];
        auto const& [cell, elite] = elites[static_cast<std::size_t>(row)];
        repertoire.cells.push_back(cell);
        repertoire.controllers.push_back(map.controller(row));
        for (std::size_t axis = 0; axis < elite.bc.size(); ++axis) {
            double const lower = space.lower()[axis];
            repertoire.points(i, static_cast<Eigen::Index>(axis)) =
                (elite.bc[axis] - lower) / (space.upper()[axis] - lower);
        }
        for (std::size_t part = 0; part < 4; ++part) {
            repertoire.outcomes(i, static_cast<Eigen::Index>(part)) = elite.bc[first + part];
        }
    }
    repertoire.lower = {space.lower()[first], space.lower()[first + 1], -1, -1};
    repertoire.upper = {space.upper()[first], space.upper()[first + 1], 1, 1};
    repertoire.network = map.network();
    repertoire.observation_clip = settings.policy.observation_clip;
    return repertoire;
}

}  // namespace mees

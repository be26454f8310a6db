#include "mees/config/bounds.hpp"
#include "mees/config/schema.hpp"

namespace mees::detail {
namespace {

constexpr Section<&Settings::map> map{"map"};
constexpr Section<&Settings::checkpoint> checkpoint{"checkpoint"};
constexpr Section<&Settings::cluster> cluster{"cluster"};
constexpr Section<&Settings::log> log{"log"};
using M = MapSettings;
using C = CheckpointSettings;

}  // namespace

std::vector<Key> map_keys()
{
    Owner const grid{"map.type", {name_of(MapType::grid)}};
    Owner const cvt{"map.type", {name_of(MapType::cvt)}};
    return {
        map.key<&M::type>("type",
                          "grid: equal boxes; cvt: the Voronoi cells of evenly spread centroids, "
                          "for behaviours with many dimensions."),
        map.key<&M::bins>(
            "bins", "Bins along each axis; empty: the domain's.",
            {.range = {1, 1e6}, .rule = "at most 1e12 cells in total", .owner = grid}),
        map.key<&M::lower>("lower", "Lower bound of each axis; empty: the domain's.",
                           {.rule = "one for each of bins and upper, below upper"}),
        map.key<&M::upper>("upper",
                           "Upper bound of each axis; empty: the domain's. Behaviours outside the "
                           "bounds belong to the border cells.",
                           {.rule = "one for each of bins and lower, above lower"}),
        map.key<&M::qd_offset>(
            "qd_offset",
            "QD score = sum over filled cells of (fitness - qd_offset). If it is "
            "not set: the domain's lowest sensible fitness (point_maze -10.8, "
            "ant_maze -99.3, others 0), or that of the run that is resumed. May be "
            "changed when a run is resumed.",
            {.range = {-bounds::largest_outcome, bounds::largest_outcome}}),
        map.key<&M::memory_limit>(
            "memory_limit",
            "Megabytes of memory for the parameters of elites, on rank 0; those beyond it are kept "
            "in the run folder, in a file without a name that vanishes with the program. Results "
            "are the same, and it may be changed when a run is resumed. 0: no limit.",
            {.range = {0, 1e9}}),
        map.key<&M::cvt_cells>("cvt_cells", "Number of centroids.",
                               {.range = {1, 1e7}, .owner = cvt}),
        map.key<&M::cvt_samples>("cvt_samples",
                                 "Points from which Lloyd's algorithm finds the centroids.",
                                 {.range = {1, 1e9}, .rule = "at least cvt_cells", .owner = cvt}),
        map.key<&M::cvt_seed>("cvt_seed", "Determines these points.", {.range = {0}, .owner = cvt}),
        map.key<&M::cvt_file>("cvt_file",
                              "A text file with one centroid per line, instead of Lloyd's "
                              "algorithm; a relative path is looked up next to the configuration "
                              "file, then in the working directory. Empty: none.",
                              {.owner = cvt, .is_path = true}),
    };
}

std::vector<Key> output_keys()
{
    return {
        checkpoint.key<&C::every_seconds>(
            "every_seconds", "Save when this many seconds have passed since the last save; 0: off.",
            {.range = {0, 1e9}}),
        checkpoint.key<&C::every_generations>(
            "every_generations", "Save every this many generations; 0: off.", {.range = {0, 1e9}}),
        checkpoint.key<&C::keep>(
            "keep", "Also keep `checkpoints/gen_N.h5` every this many generations; 0: none.",
            {.range = {0, 1e9}}),
        checkpoint.key<&C::changes_above_megabytes>(
            "changes_above_megabytes",
            "If `map.h5` is larger than this, checkpoints save only what has changed, to "
            "`map.changes-N.h5`; a complete `map.h5` follows when these have half its size, and at "
            "the end. 0: always a complete one.",
            {.range = {0, 1e9}}),
        cluster.key<&ClusterSettings::silence_seconds>(
            "silence_seconds",
            "A rank that gives no sign of life for this long (frozen, swapped out, unreachable) "
            "ends the run with an error that names its host; the state is saved. Longer than any "
            "control step takes; 0: never.",
            {.range = {0, 1e9}}),
        log.key<&LogSettings::level>("level",
                                     "The least severe messages that are written to `mees.log`."),
    };
}

}  // namespace mees::detail

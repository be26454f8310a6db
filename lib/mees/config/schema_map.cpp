#include "mees/config/schema.hpp"

namespace mees::detail {

std::vector<Key> map_keys()
{
    Owner const grid{"map.type", {name_of(MapType::grid)}};
    Owner const cvt{"map.type", {name_of(MapType::cvt)}};
    return {
        {.section = "map",
         .name = "type",
         .access = member<&Settings::map, &MapSettings::type>,
         .description = "grid: equal boxes; cvt: the Voronoi cells of evenly spread centroids, for "
                        "behaviours with many dimensions."},
        {.section = "map",
         .name = "bins",
         .access = member<&Settings::map, &MapSettings::bins>,
         .description = "Bins along each axis; empty: the domain's.",
         .range = {1, 1e6},
         .rule = "at most 1e12 cells in total",
         .owner = grid},
        {.section = "map",
         .name = "lower",
         .access = member<&Settings::map, &MapSettings::lower>,
         .description = "Lower bound of each axis; empty: the domain's.",
         .rule = "one for each of bins and upper, below upper"},
        {.section = "map",
         .name = "upper",
         .access = member<&Settings::map, &MapSettings::upper>,
         .description = "Upper bound of each axis; empty: the domain's. Behaviours outside the "
                        "bounds belong to the border cells.",
         .rule = "one for each of bins and lower, above lower"},
        {.section = "map",
         .name = "qd_offset",
         .access = member<&Settings::map, &MapSettings::qd_offset>,
         .description = "QD score = sum over filled cells of (fitness - qd_offset)."},
        {.section = "map",
         .name = "cvt_cells",
         .access = member<&Settings::map, &MapSettings::cvt_cells>,
         .description = "Number of centroids.",
         .range = {1, 1e7},
         .owner = cvt},
        {.section = "map",
         .name = "cvt_samples",
         .access = member<&Settings::map, &MapSettings::cvt_samples>,
         .description = "Points from which Lloyd's algorithm finds the centroids.",
         .range = {1, 1e9},
         .rule = "at least cvt_cells",
         .owner = cvt},
        {.section = "map",
         .name = "cvt_seed",
         .access = member<&Settings::map, &MapSettings::cvt_seed>,
         .description = "Determines these points.",
         .range = {0},
         .owner = cvt},
        {.section = "map",
         .name = "cvt_file",
         .access = member<&Settings::map, &MapSettings::cvt_file>,
         .description = "A text file with one centroid per line, instead of Lloyd's algorithm; a "
                        "relative path is looked up next to the configuration file, then in the "
                        "working directory. Empty: none.",
         .owner = cvt,
         .is_path = true},
    };
}

std::vector<Key> output_keys()
{
    return {
        {.section = "checkpoint",
         .name = "every_seconds",
         .access = member<&Settings::checkpoint, &CheckpointSettings::every_seconds>,
         .description = "Save when this many seconds have passed since the last save; 0: off.",
         .range = {0, 1e9}},
        {.section = "checkpoint",
         .name = "every_generations",
         .access = member<&Settings::checkpoint, &CheckpointSettings::every_generations>,
         .description = "Save every this many generations; 0: off.",
         .range = {0, 1e9}},
        {.section = "checkpoint",
         .name = "keep",
         .access = member<&Settings::checkpoint, &CheckpointSettings::keep>,
         .description = "Also keep `checkpoints/gen_N.h5` every this many generations; 0: none.",
         .range = {0, 1e9}},
        {.section = "log",
         .name = "level",
         .access = member<&Settings::log, &LogSettings::level>,
         .description = "The least severe messages that are written to `mees.log`."},
    };
}

}  // namespace mees::detail

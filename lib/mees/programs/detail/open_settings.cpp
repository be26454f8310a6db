#include "mees/programs/detail/open_settings.hpp"

#include "mees/report/metrics_file.hpp"
#include "mees/storage/map/lookup.hpp"

#include <algorithm>

namespace mees {
namespace {

bool sets(Configuration const& configuration, std::string_view key)
{
    return std::ranges::find(configuration.given, key) != configuration.given.end();
}

/// Fewer children than the defaults are for: the better half of them are the parents, and only
/// parents are evaluated again.
void complete_selection(AlgorithmSettings& algorithm, KnownName const& known,
                        Configuration const& configuration)
{
    if (known.names(KeyGroup::truncation) && !sets(configuration, "algorithm.truncation")
        && algorithm.truncation >= algorithm.children) {
        algorithm.truncation = (algorithm.children + 1) / 2;
    }
    if (known.names(KeyGroup::elite) && !sets(configuration, "algorithm.elite_candidates")) {
        algorithm.elite_candidates = std::min(algorithm.elite_candidates, algorithm.truncation);
    }
}

}  // namespace

Settings complete(Configuration const& configuration, Catalogue const& catalogue,
                  TaskSpec const& spec)
{
    auto settings = configuration.settings;
    if (!sets(configuration, "map.qd_offset")) {
        settings.map.qd_offset = spec.lowest_fitness;
    }
    auto const& algorithm = catalogue.algorithms.find(settings.algorithm.name);
    if (algorithm.known.names(KeyGroup::thresholds)
        && !sets(configuration, "algorithm.threshold_floor")) {
        settings.algorithm.threshold_floor = settings.map.qd_offset;
    }
    complete_selection(settings.algorithm, algorithm.known, configuration);
    return settings;
}

bool keep_stored(Settings& settings, Configuration const& configuration, MapDocument const& stored)
{
    auto const before = settings;
    if (!sets(configuration, "map.qd_offset")) {
        settings.map.qd_offset = stored.qd_offset;
    }
    if (!sets(configuration, "algorithm.threshold_floor")) {
        settings.algorithm.threshold_floor = stored_settings(stored.run).algorithm.threshold_floor;
    }
    return !(settings == before);
}

bool set_qd_offset(MapDocument& document, double offset)
{
    if (document.qd_offset == offset) {
        return false;
    }
    for (auto& row : document.state.history) {
        row.qd_score = with_offset(row, document.qd_offset, offset);
    }
    document.qd_offset = offset;
    return true;
}

}  // namespace mees

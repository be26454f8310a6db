#include "mees/storage/map/detail/reevaluation.hpp"

#include "mees/storage/detail/checks.hpp"
#include "mees/storage/map/detail/layout.hpp"

#include <fmt/format.h>

namespace mees {
namespace {

constexpr char const* group = "/evaluation";
constexpr char const* kept = "/evaluation/kept";

}  // namespace

void write_reevaluation(hdf5::Writer& file, Reevaluation const& reevaluation,
                        std::int64_t dimensions)
{
    auto const& rows = reevaluation.rows;
    auto const count = static_cast<std::int64_t>(rows.size());
    file.group(group);
    file.attribute(group, "episodes", reevaluation.episodes);
    file.attribute(group, "seed", reevaluation.seed);
    file.attribute(group, "map_sha256", std::string_view{reevaluation.map_sha256});
    for (auto const& [path, member] : layout::reevaluation_cells) {
        std::vector<std::int64_t> values;
        for (auto const& row : rows) {
            values.push_back((row.*member).value());
        }
        file.dataset(path, values);
    }
    for (auto const& [path, member] : layout::reevaluation_reals) {
        std::vector<double> values;
        for (auto const& row : rows) {
            values.push_back(row.*member);
        }
        file.dataset(path, values);
    }
    for (auto const& [path, member] : layout::reevaluation_behaviours) {
        std::vector<double> values;
        for (auto const& row : rows) {
            values.insert(values.end(), (row.*member).begin(), (row.*member).end());
        }
        file.dataset(path, std::span<double const>{values}, {count, dimensions});
    }
    std::vector<std::uint8_t> flags;
    for (auto const& row : rows) {
        flags.push_back(row.kept ? 1 : 0);
    }
    file.dataset(kept, flags);
}

std::optional<Reevaluation> read_reevaluation(hdf5::Reader const& file, BehaviourSpace const& space)
{
    if (!file.has(group)) {
        return std::nullopt;
    }
    Reevaluation result;
    result.episodes = file.integer(group, "episodes");
    result.seed = file.integer(group, "seed");
    if (file.has_attribute(group, "map_sha256")) {
        result.map_sha256 = file.text(group, "map_sha256");
    }
    require(file, result.episodes > 0, "/evaluation@episodes is not positive");
    auto const flags = file.values<std::uint8_t>(kept);
    require_range(file, kept, flags, 0, 1);
    auto const count = static_cast<std::int64_t>(flags.size());
    result.rows.resize(flags.size());
    for (std::size_t i = 0; i < flags.size(); ++i) {
        result.rows[i].kept = flags[i] != 0;
    }
    for (auto const& [path, member] : layout::reevaluation_cells) {
        auto const values = file.values<std::int64_t>(path, {count});
        require_range(file, path, values, 0, space.cells() - 1);
        for (std::size_t i = 0; i < flags.size(); ++i) {
            result.rows[i].*member = CellId{values[i]};
        }
    }
    for (auto const& [path, member] : layout::reevaluation_reals) {
        auto const values = file.values<double>(path, {count});
        require_finite(file, path, values);
        for (std::size_t i = 0; i < flags.size(); ++i) {
            result.rows[i].*member = values[i];
        }
    }
    for (auto const& [path, member] : layout::reevaluation_behaviours) {
        auto const values = file.values<double>(path, {count, space.dimensions()});
        require_finite(file, path, values);
        for (std::size_t i = 0; i < flags.size(); ++i) {
            auto const begin = values.begin() + static_cast<std::ptrdiff_t>(i) * space.dimensions();
            (result.rows[i].*member).assign(begin, begin + space.dimensions());
        }
    }
    return result;
}

}  // namespace mees

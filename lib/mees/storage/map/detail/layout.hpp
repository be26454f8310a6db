#pragma once

// Inside this module only: the columns of a map file, named once for writer and reader.

#include "mees/algorithms/state.hpp"
#include "mees/storage/detail/run_attributes.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace mees::layout {

inline constexpr FileKind kind{"mees-map", map_format_version, "a map.h5 of a run"};

/// A member of a record that is a dataset of its own in the file.
template <class Record, class Value>
struct Column {
    char const* path;
    Value Record::*member;
};

inline constexpr std::array elite_reals{
    Column<Elite, double>{"/map/fitness", &Elite::fitness},
    Column<Elite, double>{"/map/fitness_std", &Elite::fitness_std},
    Column<Elite, double>{"/map/novelty", &Elite::novelty},
};

inline constexpr std::array history_reals{
    Column<GenerationRecord, double>{"/history/fitness", &GenerationRecord::fitness},
    Column<GenerationRecord, double>{"/history/fitness_std", &GenerationRecord::fitness_std},
    Column<GenerationRecord, double>{"/history/novelty", &GenerationRecord::novelty},
    Column<GenerationRecord, double>{"/history/best", &GenerationRecord::best},
    Column<GenerationRecord, double>{"/history/qd_score", &GenerationRecord::qd_score},
    Column<GenerationRecord, double>{"/history/weight", &GenerationRecord::weight},
};

inline constexpr std::array history_counts{
    Column<GenerationRecord, std::int64_t>{"/history/inserted", &GenerationRecord::inserted},
    Column<GenerationRecord, std::int64_t>{"/history/coverage", &GenerationRecord::coverage},
    Column<GenerationRecord, std::int64_t>{"/history/episodes", &GenerationRecord::episodes},
    Column<GenerationRecord, std::int64_t>{"/history/steps", &GenerationRecord::steps},
    Column<GenerationRecord, std::int64_t>{"/history/diverged", &GenerationRecord::diverged},
};

inline constexpr std::array history_cells{
    Column<GenerationRecord, std::optional<CellId>>{"/history/parent_cell",
                                                    &GenerationRecord::parent_cell},
    Column<GenerationRecord, std::optional<CellId>>{"/history/cell", &GenerationRecord::cell},
};

/// Beside seconds and workers, which every map has.
inline constexpr std::array timing_reals{
    Column<GenerationTiming, double>{"/timing/physics", &GenerationTiming::physics},
    Column<GenerationTiming, double>{"/timing/policy", &GenerationTiming::policy},
    Column<GenerationTiming, double>{"/timing/waiting", &GenerationTiming::waiting},
    Column<GenerationTiming, double>{"/timing/update", &GenerationTiming::update},
    Column<GenerationTiming, double>{"/timing/checkpoint", &GenerationTiming::checkpoint},
};

inline constexpr std::array reevaluation_reals{
    Column<Reevaluation::Row, double>{"/evaluation/stored_fitness",
                                      &Reevaluation::Row::stored_fitness},
    Column<Reevaluation::Row, double>{"/evaluation/fitness", &Reevaluation::Row::fitness},
    Column<Reevaluation::Row, double>{"/evaluation/fitness_std", &Reevaluation::Row::fitness_std},
};

inline constexpr std::array reevaluation_cells{
    Column<Reevaluation::Row, CellId>{"/evaluation/stored_cell", &Reevaluation::Row::stored_cell},
    Column<Reevaluation::Row, CellId>{"/evaluation/cell", &Reevaluation::Row::cell},
};

inline constexpr std::array reevaluation_behaviours{
    Column<Reevaluation::Row, std::vector<double>>{"/evaluation/bc", &Reevaluation::Row::bc},
    Column<Reevaluation::Row, std::vector<double>>{"/evaluation/bc_std",
                                                   &Reevaluation::Row::bc_std},
};

/// How absence is stored.
inline constexpr std::int64_t none = -1;

[[nodiscard]] inline std::int64_t stored(std::optional<CellId> cell)
{
    return cell ? cell->value() : none;
}
[[nodiscard]] inline std::int64_t stored(std::optional<std::int64_t> index)
{
    return index.value_or(none);
}

/// The values of an Eigen vector.
template <class Vector>
[[nodiscard]] auto span_of(Vector& values)
{
    return std::span{values.data(), static_cast<std::size_t>(values.size())};
}

}  // namespace mees::layout

#pragma once

#include "mees/storage/map/file.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace mees::inspect {

/// One property of all elites.
struct EliteColumn {
    std::string name;
    bool is_integer{false};
    std::vector<double> values;
};

/// The elites of a map as columns: cell, fitness, fitness_std, each BC by its name, novelty,
/// generation, parent_cell (-1: none), and the bin on each axis as bin_NAME; links of a map with
/// chains; variant_mean, robust and variant_worst of a map that was evaluated in variants of its
/// model.
class EliteTable {
  public:
    explicit EliteTable(MapReader const& map);

    [[nodiscard]] std::vector<EliteColumn> const& columns() const { return columns_; }
    /// Throws ConfigError listing the known names.
    [[nodiscard]] EliteColumn const& column(std::string_view name) const;
    /// Those of the given rows for which "NAME<VALUE" (<, <=, >, >=, = or !=) is true.
    [[nodiscard]] std::vector<std::size_t> filtered(std::vector<std::size_t> rows,
                                                    std::string const& condition) const;
    /// By "NAME", "NAME:asc" or "NAME:desc"; by default fitness, novelty and those of variants are
    /// in descending order.
    [[nodiscard]] std::vector<std::size_t> sorted(std::vector<std::size_t> rows,
                                                  std::string const& order) const;
    [[nodiscard]] std::vector<std::size_t> all_rows() const;

  private:
    void add_variants(MapReader const& map);

    std::vector<EliteColumn> columns_;
};

}  // namespace mees::inspect

#pragma once

#include "mees/config/task_description.hpp"
#include "mees/sim/mujoco.hpp"

#include <span>
#include <vector>

namespace mees {

/// What quantities are computed from: the engine's data as they are, and the latest action.
struct StateView {
    mjModel const& model;
    mjData const& data;
    std::span<double const> action;
};

/// A Quantity with the ids and sizes of a model.
class BoundQuantity {
  public:
    /// Throws ConfigError for names and entries that the model does not have.
    BoundQuantity(mjModel const& model, Quantity const& quantity);

    [[nodiscard]] QuantitySource source() const { return source_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    /// Writes `size()` values. Does not allocate.
    void read(StateView const& state, std::span<double> out) const;

  private:
    void bind_names(mjModel const& model, Quantity const& quantity);
    void choose_entries(mjModel const& model, Quantity const& quantity);
    [[nodiscard]] std::size_t source_size(mjModel const& model) const;
    [[nodiscard]] double const* stored(StateView const& state) const;
    [[nodiscard]] double computed(StateView const& state, std::size_t entry) const;
    [[nodiscard]] double centre_of_mass(StateView const& state, std::size_t axis) const;
    [[nodiscard]] bool touches(mjData const& data, int geom) const;
    [[nodiscard]] double transformed(double value, std::size_t i) const;

    QuantitySource source_;
    std::size_t id_{0};       ///< of the body or site
    std::vector<int> geoms_;  ///< contact: each, and the one they touch
    int with_{-1};
    std::size_t first_{0};
    std::size_t size_{0};
    std::vector<std::size_t> index_;  ///< if not empty, instead of first_ ...
    std::vector<double> offset_;      ///< none, or one per entry
    std::optional<double> scale_;
    std::optional<double> clip_;
    double total_mass_{0};
};

}  // namespace mees

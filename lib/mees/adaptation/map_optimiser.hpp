#pragma once

#include "mees/adaptation/gaussian_process.hpp"
#include "mees/core/ids.hpp"
#include "mees/qd/elite_map.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace mees {

/// The map as prior knowledge, in the units of the optimisation: a row per filled cell in ascending
/// order, BCs scaled to [0, 1] by the map's bounds (a BC outside them is outside [0, 1]), fitness
/// scaled to [0, 1] by the lowest and highest fitness in the map.
struct MapPrior {
    std::vector<CellId> cells;
    Eigen::MatrixXd points;
    Eigen::ArrayXd fitness;
    double lowest;
    double highest;

    /// Not clipped: the fitness of a damaged robot may be below the lowest in the map.
    [[nodiscard]] double scaled(double fitness) const
    {
        return (fitness - lowest) / (highest - lowest);
    }
    [[nodiscard]] double unscaled(double value) const
    {
        return lowest + value * (highest - lowest);
    }
};

/// Throws FileError for a map that is empty or whose controllers all have the same fitness.
[[nodiscard]] MapPrior prior_of(EliteMap const& map);

/// The acquisition function: mean + kappa * variance (the authors'), or * standard deviation.
enum class Acquisition : std::uint8_t { variance, std };

/// Defaults are those of the paper's run.
struct MapOptimiserSettings {
    double rho{0.03};  ///< length scale of the kernel, in scaled BCs
    double kappa{0.3};
    double noise_variance{0.01};  ///< of a trial, in scaled fitness
    Acquisition acquisition{Acquisition::variance};
    std::int64_t trials{30};
    /// Stop once the best fitness found is at least this share of the best predicted, both scaled
    /// (Cully et al. 2015); off by default.
    std::optional<double> alpha{};
};

/// A trial, in the units of fitness: the prediction for the cell, and the measured fitness.
struct MapTrial {
    CellId cell;
    double predicted;
    double variance;
    double fitness;

    friend bool operator==(MapTrial const&, MapTrial const&) = default;
};

/// Map-based Bayesian optimisation (M-BOA): finds the controller of a map that works best in a
/// robot that differs from the one of the map.
///
/// Ask for the next cell, tell the fitness measured there. `ask` returns the cell with the highest
/// acquisition, the lower cell at a tie; a cell may be tried again. Runs no episode itself.
class MapOptimiser {
  public:
    MapOptimiser(std::shared_ptr<MapPrior const> prior, MapOptimiserSettings settings);

    /// After `trials` trials, or earlier by `alpha`.
    [[nodiscard]] bool finished() const;
    [[nodiscard]] CellId ask() const;
    /// `fitness` is the mean over the trial's episodes, in the map's units.
    void tell(double fitness);

    [[nodiscard]] std::vector<MapTrial> const& trials() const { return trials_; }
    /// The cell with the highest posterior mean, the lower one at a tie.
    [[nodiscard]] CellId answer() const;

  private:
    [[nodiscard]] Eigen::Index next() const;

    std::shared_ptr<MapPrior const> prior_;
    MapOptimiserSettings settings_;
    GaussianProcess process_;
    std::vector<MapTrial> trials_;
};

/// mean + kappa * (variance or its root), per candidate.
[[nodiscard]] Eigen::ArrayXd acquire(GaussianProcess const& process, double kappa,
                                     Acquisition acquisition);

}  // namespace mees

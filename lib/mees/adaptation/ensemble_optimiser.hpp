#pragma once

#include "mees/adaptation/map_optimiser.hpp"

#include <cstdint>
#include <vector>

namespace mees {

/// A controller of one of several maps, and the prediction for it in the units of fitness.
struct Proposal {
    std::int64_t map{0};
    CellId cell;
    double predicted{0};
    double variance{0};

    friend bool operator==(Proposal const&, Proposal const&) = default;
};

struct EnsembleTrial {
    Proposal tried;
    double fitness{0};

    friend bool operator==(EnsembleTrial const&, EnsembleTrial const&) = default;
};

/// Map-based Bayesian optimisation with several maps as priors, for trials that are made elsewhere:
/// maps of the same behaviour space, for example one per simulated damage.
///
/// Every trial is a measurement at a BC, that of the elite that was run. Under each map these
/// measurements have a Gaussian process whose prior mean is the map's fitness (at the BC of another
/// map's elite: that of the map's nearest elite). `ask` uses the map under which all measurements
/// have the highest likelihood, the first at a tie, and chooses among its cells like MapOptimiser.
/// With one map it is a MapOptimiser: the same numbers, bit for bit.
///
/// Fitness is scaled by the lowest and the highest in all maps.
class EnsembleOptimiser {
  public:
    EnsembleOptimiser(std::vector<MapPrior> priors, MapOptimiserSettings const& settings);

    [[nodiscard]] Proposal ask() const;
    /// The trial need not be the one asked for; its map and cell must exist.
    void tell(EnsembleTrial const& trial);
    /// After `trials` trials, or earlier by `alpha`.
    [[nodiscard]] bool finished() const;
    /// Of the map that explains the trials best, the cell with the highest posterior mean.
    [[nodiscard]] Proposal answer() const;

    [[nodiscard]] std::vector<EnsembleTrial> const& trials() const { return trials_; }
    /// The logarithm of the probability density of all measurements, per map.
    [[nodiscard]] std::vector<double> const& log_likelihoods() const { return log_likelihoods_; }
    /// The map with the highest.
    [[nodiscard]] std::int64_t best_map() const;

  private:
    void update(std::size_t map);
    [[nodiscard]] Proposal proposal(Eigen::Index row) const;
    [[nodiscard]] GaussianProcess const& process() const;
    [[nodiscard]] Eigen::Index cells() const;

    std::vector<MapPrior> priors_;
    MapOptimiserSettings settings_;
    std::vector<EnsembleTrial> trials_;
    /// Per map; its candidates are the map's cells, then the trials with other maps.
    std::vector<GaussianProcess> processes_;
    std::vector<double> log_likelihoods_;
};

}  // namespace mees

#pragma once

#include "mees/adaptation/gaussian_process.hpp"
#include "mees/core/ids.hpp"
#include "mees/policy/controller.hpp"
#include "mees/policy/network.hpp"
#include "mees/sim/ground_robot.hpp"

#include <memory>
#include <vector>

namespace mees {

/// The elites of a map, as actions: how each is known to move the intact robot.
struct Repertoire {
    std::vector<CellId> cells;
    std::vector<ControllerPtr> controllers;
    Eigen::MatrixXd points;    ///< the elites' BCs, scaled to 0..1 by the map's bounds
    Eigen::ArrayXXd outcomes;  ///< dx, dy, cosine and sine of the turn
    GroundPose lower;          ///< bounds of the outcomes
    GroundPose upper;
    NetworkShape network{{1, 1}};
    double observation_clip{0};

    [[nodiscard]] Eigen::Index size() const { return outcomes.rows(); }
};

using RepertoirePtr = std::shared_ptr<Repertoire const>;

/// Of two elites the covariance is variance * exp(-d^2 / (2 length_scale^2)), d between their BCs;
/// of an elite with itself, elite_variance more. Defaults fit the damaged robot of
/// docs/navigation.md.
struct DisplacementSettings {
    double variance{0.25};        ///< what elites with close BCs share; in m^2 for dx and dy
    double length_scale{0.4};     ///< in scaled BCs
    double elite_variance{0.1};   ///< what an elite shares with no other
    double noise_variance{0.01};  ///< between repetitions of an elite
    friend bool operator==(DisplacementSettings const&, DisplacementSettings const&) = default;
};

/// What is believed of every action of a repertoire: the map's prediction, corrected by what was
/// observed (four Gaussian processes with one kernel). Without learning, the prediction is taken
/// for certain.
class DisplacementModel {
  public:
    DisplacementModel(RepertoirePtr repertoire, DisplacementSettings const& settings,
                      bool learning);

    /// `action` moved the robot by `step`. Has no effect without learning.
    void observe(Eigen::Index action, GroundPose const& step);

    [[nodiscard]] Eigen::Index actions() const { return repertoire_->size(); }
    /// Not scaled: cosine and sine may have another length than 1.
    [[nodiscard]] GroundPose mean(Eigen::Index action) const
    {
        auto const& means = process_.means();
        return {means(action, 0), means(action, 1), means(action, 2), means(action, 3)};
    }
    [[nodiscard]] double deviation(Eigen::Index action) const { return deviations_[action]; }
    [[nodiscard]] double prior_variance() const { return prior_variance_; }
    [[nodiscard]] Repertoire const& repertoire() const { return *repertoire_; }

  private:
    RepertoirePtr repertoire_;
    double prior_variance_;
    bool learning_;
    GaussianProcess process_;
    Eigen::ArrayXd deviations_;
};

}  // namespace mees

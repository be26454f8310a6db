#include "mees/navigation/displacement_model.hpp"

#include <utility>

namespace mees {
namespace {

GaussianProcess process_of(Repertoire const& repertoire, DisplacementSettings const& settings)
{
    return {repertoire.points, repertoire.outcomes,
            [settings](Eigen::ArrayXd const& distances) -> Eigen::ArrayXd {
                return settings.variance * squared_exponential(distances, settings.length_scale)
                       + settings.elite_variance * (distances == 0.0).cast<double>();
            },
            settings.noise_variance};
}

}  // namespace

DisplacementModel::DisplacementModel(RepertoirePtr repertoire, DisplacementSettings const& settings,
                                     bool learning)
    : repertoire_{std::move(repertoire)},
      prior_variance_{settings.variance + settings.elite_variance},
      learning_{learning},
      process_{process_of(*repertoire_, settings)},
      deviations_{learning ? Eigen::ArrayXd{process_.variance().sqrt()}
                           : Eigen::ArrayXd{Eigen::ArrayXd::Zero(repertoire_->size())}}
{
}

void DisplacementModel::observe(Eigen::Index action, GroundPose const& step)
{
    if (learning_) {
        process_.observe(action, Eigen::Array4d{step.x, step.y, step.cos, step.sin});
        deviations_ = process_.variance().sqrt();
    }
}

}  // namespace mees

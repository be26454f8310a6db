#pragma once

#include "mees/algorithms/algorithm.hpp"
#include "mees/algorithms/state.hpp"
#include "mees/evaluation/batch.hpp"

namespace mees {

/// `theta` with the run's current observation statistics (or none, if inputs are not
/// normalised), after the links `before`.
[[nodiscard]] ControllerPtr make_controller(SearchProblem const& problem, State const& state,
                                            Eigen::VectorXf theta, ControllerPtr before = {});

/// A member of a group as a controller of its own, after the same links.
[[nodiscard]] ControllerPtr controller_of_member(Group const& group, std::int64_t member,
                                                 std::span<float const> noise);

/// The n_eval episodes that measure a controller; `slot` distinguishes those of one generation.
[[nodiscard]] Group evaluation_group(SearchProblem const& problem, ControllerPtr centre,
                                     Generation generation, std::int64_t slot);

/// A population of mirrored pairs around `centre`, which has made `steps` ES steps since it was
/// sampled, for the step that makes `generation`.
[[nodiscard]] Group offspring_group(SearchProblem const& problem, ControllerPtr centre,
                                    Generation generation, std::int64_t slot, std::int64_t steps);

/// The fraction of training episodes whose observations are recorded: none if they are not used.
[[nodiscard]] double observation_fraction(SearchProblem const& problem);

/// Offsets of `count` noise slices, drawn for `generation`.
[[nodiscard]] std::vector<NoiseOffset> draw_offsets(SearchProblem const& problem,
                                                    Generation generation, std::int64_t slot,
                                                    std::int64_t count);

[[nodiscard]] OptimiserSettings optimiser_settings(EsSettings const& settings);

/// Throws Error if a parameter of an emitter of `generation` is not finite: no map or checkpoint
/// could hold it.
void require_finite(Emitter const& emitter, Generation generation);

/// A stream of the run.
[[nodiscard]] Stream run_stream(SearchProblem const& problem, Purpose purpose,
                                Generation generation, std::int64_t index = 0);

}  // namespace mees

#pragma once

#include "mees/sim/task.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mees {

/// An episode without its policy: the initial state, and the controls of each control step.
struct OpenLoopEpisode {
    std::vector<double> qpos;
    std::vector<double> qvel;
    std::vector<double> controls;  ///< row-major, a row per control step
    std::int64_t steps{0};
};

/// A domain whose tasks behave as those of another and record their last episode, which a bare loop
/// of the engine then repeats for comparison.
class RecordingDomain final : public Domain {
  public:
    explicit RecordingDomain(std::shared_ptr<Domain const> domain);

    [[nodiscard]] TaskSpec const& spec() const override { return domain_->spec(); }
    [[nodiscard]] std::unique_ptr<Task> make_task() const override;
    [[nodiscard]] OpenLoopEpisode const& last_episode() const { return *episode_; }

  private:
    std::shared_ptr<Domain const> domain_;
    std::shared_ptr<OpenLoopEpisode> episode_;
};

/// Nothing but the engine's steps, with the full model.
class BarePhysics {
  public:
    /// The domain must be simulated by MuJoCo.
    explicit BarePhysics(Domain const& domain);

    /// Repeats the engine steps of an episode.
    void repeat(OpenLoopEpisode const& episode);

  private:
    std::shared_ptr<mjModel_ const> model_;
    std::shared_ptr<mjData_> data_;
    int frame_skip_{1};
};

}  // namespace mees

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

/// A domain whose tasks behave as another's and write down their last episode: what a bare loop of
/// the engine must repeat to be compared with it.
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

/// Nothing but the engine's steps, of the model as its file has it.
class BarePhysics {
  public:
    /// The domain must be one that MuJoCo simulates.
    explicit BarePhysics(Domain const& domain);
    ~BarePhysics();
    BarePhysics(BarePhysics&&) noexcept;
    BarePhysics(BarePhysics const&) = delete;
    BarePhysics& operator=(BarePhysics const&) = delete;
    BarePhysics& operator=(BarePhysics&&) = delete;

    /// Makes the engine steps of an episode once more.
    void repeat(OpenLoopEpisode const& episode);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mees

#include "mees/sim/bare_physics.hpp"

#include "mees/core/error.hpp"
#include "mees/sim/mujoco.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mees {
namespace {

std::unique_ptr<PhysicsTask> physics_task(Domain const& domain)
{
    auto task = domain.make_task();
    auto* physics = dynamic_cast<PhysicsTask*>(task.get());
    expects(physics != nullptr, "the domain is simulated by the engine");
    (void)task.release();
    return std::unique_ptr<PhysicsTask>{physics};
}

class RecordingTask final : public Task {
  public:
    RecordingTask(std::unique_ptr<PhysicsTask> task, std::shared_ptr<OpenLoopEpisode> episode)
        : task_{std::move(task)}, episode_{std::move(episode)}
    {
    }

    void reset(Stream& stream) override
    {
        task_->reset(stream);
        episode_->qpos.assign(task_->qpos().begin(), task_->qpos().end());
        episode_->qvel.assign(task_->qvel().begin(), task_->qvel().end());
        episode_->controls.clear();
        episode_->steps = 0;
    }
    void step(std::span<double const> action) override
    {
        ++episode_->steps;
        task_->step(action);
        auto const* control = task_->data().ctrl;
        episode_->controls.insert(episode_->controls.end(), control, control + action.size());
    }
    void observe(std::span<double> observation) const override { task_->observe(observation); }
    [[nodiscard]] double reward() const override { return task_->reward(); }
    [[nodiscard]] std::span<double const> terms() const override { return task_->terms(); }
    [[nodiscard]] bool terminated() const override { return task_->terminated(); }
    [[nodiscard]] bool diverged() const override { return task_->diverged(); }
    [[nodiscard]] double fitness() const override { return task_->fitness(); }
    void behaviour(std::span<double> bc) const override { task_->behaviour(bc); }

  private:
    std::unique_ptr<PhysicsTask> task_;
    std::shared_ptr<OpenLoopEpisode> episode_;
};

}  // namespace

RecordingDomain::RecordingDomain(std::shared_ptr<Domain const> domain)
    : domain_{std::move(domain)}, episode_{std::make_shared<OpenLoopEpisode>()}
{
}

std::unique_ptr<Task> RecordingDomain::make_task() const
{
    return std::make_unique<RecordingTask>(physics_task(*domain_), episode_);
}

BarePhysics::BarePhysics(Domain const& domain) : model_{domain.full_model()}
{
    expects(model_ != nullptr, "the domain is simulated by the engine");
    data_ = make_data(*model_);
    frame_skip_ =
        static_cast<int>(std::lround(domain.spec().seconds_per_step / model_->opt.timestep));
}

void BarePhysics::repeat(OpenLoopEpisode const& episode)
{
    auto const* model = model_.get();
    auto* data = data_.get();
    mj_resetData(model, data);
    std::ranges::copy(episode.qpos, data->qpos);
    std::ranges::copy(episode.qvel, data->qvel);
    for (std::int64_t step = 0; step < episode.steps; ++step) {
        std::copy_n(episode.controls.data() + step * model->nu, model->nu, data->ctrl);
        for (int i = 0; i < frame_skip_; ++i) {
            mj_step(model, data);
        }
    }
}

}  // namespace mees

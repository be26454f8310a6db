#include "mees/core/error.hpp"
#include "mees/core/log.hpp"
#include "mees/sim/process/environment.hpp"
#include "mees/sim/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>

namespace mees {
namespace {

using process::Environment;
using process::EnvironmentSetup;
using process::StepReply;

/// The process of a worker, and which of its episodes step together.
///
/// Starts when it is first needed, again after it was lost, and ends with this object.
class SharedProcess {
  public:
    SharedProcess(EnvironmentSetup setup, process::Hello hello,
                  std::unique_ptr<Environment> started)
        : setup_{std::move(setup)}, hello_{std::move(hello)}, environment_{std::move(started)}
    {
    }
    SharedProcess(SharedProcess const&) = delete;
    SharedProcess& operator=(SharedProcess const&) = delete;
    ~SharedProcess()
    {
        if (environment_) {
            environment_->close();
        }
    }

    /// Runs `use` with the environment; one that fails is not used again.
    template <class Use>
    decltype(auto) with(std::function<bool()> const* dropped, Use const& use)
    {
        try {
            if (!environment_) {
                start();
            }
            environment_->watch(dropped);
            return use(*environment_);
        } catch (...) {
            environment_.reset();
            waiting_.clear();
            throw;
        }
    }

    void begin_step(std::uint32_t slot, std::span<double const> action, StepReply& reply)
    {
        if (!environment_) {
            throw EnvironmentLost{"the environment has ended", "an episode next to this one failed",
                                  ""};
        }
        environment_->queue(slot, action);
        waiting_.push_back(&reply);
    }
    /// The first that finishes steps all of them.
    void finish_step(std::function<bool()> const* dropped)
    {
        if (!waiting_.empty()) {
            with(dropped, [this](Environment& environment) { environment.step(waiting_); });
            waiting_.clear();
        }
    }
    void forget_steps() { waiting_.clear(); }

  private:
    void start()
    {
        environment_ = std::make_unique<Environment>(setup_);
        if (environment_->hello() != hello_) {
            throw SimulationError{
                "the environment has changed while the run uses it",
                "a process that was started later states other sizes, names or bounds",
                "Use the same environment on all hosts during the run."};
        }
    }

    EnvironmentSetup setup_;
    process::Hello hello_;
    std::unique_ptr<Environment> environment_;
    std::vector<StepReply*> waiting_;
};

/// An episode in another process.
class ProcessTask final : public Task {
  public:
    ProcessTask(std::shared_ptr<SharedProcess> shared, process::Hello const& hello,
                std::uint32_t slot)
        : shared_{std::move(shared)},
          slot_{slot},
          last_reward_{hello.last_reward},
          renders_{hello.renders},
          reply_{std::vector<double>(static_cast<std::size_t>(hello.observation_size)),
                 std::vector<double>(hello.reward_terms.size()), false}
    {
    }

    void watch(std::function<bool()> const& dropped) override { dropped_ = &dropped; }

    void reset(Stream& stream) override
    {
        auto const seed = stream.next();
        shared_->forget_steps();
        shared_->with(dropped_, [&](Environment& environment) {
            environment.reset(slot_, seed, reply_.observation);
        });
        std::ranges::fill(reply_.terms, 0.0);
        reply_.ended = false;
        reward_ = 0;
        fitness_ = 0;
    }
    void observe(std::span<double> observation) const override
    {
        std::ranges::copy(reply_.observation, observation.begin());
    }
    void step(std::span<double const> action) override
    {
        begin_step(action);
        finish_step();
    }
    void begin_step(std::span<double const> action) override
    {
        shared_->begin_step(slot_, action, reply_);
    }
    void finish_step() override
    {
        shared_->finish_step(dropped_);
        reward_ = std::accumulate(reply_.terms.begin(), reply_.terms.end(), 0.0);
        fitness_ = last_reward_ ? reward_ : fitness_ + reward_;
    }

    [[nodiscard]] double reward() const override { return reward_; }
    [[nodiscard]] std::span<double const> terms() const override { return reply_.terms; }
    [[nodiscard]] bool terminated() const override { return reply_.ended; }
    [[nodiscard]] bool diverged() const override { return false; }
    [[nodiscard]] double fitness() const override { return fitness_; }
    void behaviour(std::span<double> bc) const override
    {
        shared_->with(dropped_, [&](Environment& environment) { environment.end(slot_, bc); });
    }
    [[nodiscard]] std::optional<RenderedFrame> render() const override
    {
        if (!renders_) {
            return std::nullopt;
        }
        return shared_->with(dropped_,
                             [&](Environment& environment) { return environment.render(slot_); });
    }

  private:
    std::shared_ptr<SharedProcess> shared_;
    std::uint32_t slot_;
    bool last_reward_;
    bool renders_;
    std::function<bool()> const* dropped_{nullptr};
    StepReply reply_;
    double reward_{0};
    double fitness_{0};
};

TaskSpec spec_of(process::Hello const& hello, DomainSettings const& settings)
{
    return {
        .name = "process",
        .observation_size = hello.observation_size,
        .action_size = hello.action_size,
        .episode_steps = settings.episode_steps > 0 ? settings.episode_steps : hello.episode_steps,
        .seconds_per_step = hello.seconds_per_step,
        .bc_names = hello.bc_names,
        .bc_lower = hello.bc_lower,
        .bc_upper = hello.bc_upper,
        .bc_bins = hello.bc_bins,
        .reward_terms = hello.reward_terms,
        .fitness = hello.last_reward ? FitnessRule::last_reward : FitnessRule::sum_of_rewards,
        .restarts = settings.process.restarts,
        .batch = settings.process.batch};
}

/// A domain whose environments are programs. The first process is started by the constructor, for
/// what it states of itself, and used by the first task.
class ProcessDomain final : public Domain {
  public:
    ProcessDomain(DomainSettings settings, std::vector<std::string> damage)
        : settings_{std::move(settings)},
          setup_{settings_.process.command, settings_.process.step_timeout_seconds,
                 settings_.episode_steps, settings_.process.batch, std::move(damage)},
          first_{std::make_unique<Environment>(setup_)},
          hello_{first_->hello()},
          spec_{spec_of(hello_, settings_)}
    {
    }
    ~ProcessDomain() override
    {
        if (first_) {
            first_->close();
        }
    }

    [[nodiscard]] TaskSpec const& spec() const override { return spec_; }
    [[nodiscard]] std::unique_ptr<Task> make_task() const override
    {
        return std::move(make_tasks(1).front());
    }
    [[nodiscard]] std::vector<std::unique_ptr<Task>> make_tasks(std::int64_t count) const override
    {
        expects(count <= settings_.process.batch, "at most as many tasks as the process runs");
        std::unique_ptr<Environment> started;
        {
            std::lock_guard const lock{mutex_};
            started = std::move(first_);
        }
        auto const shared = std::make_shared<SharedProcess>(setup_, hello_, std::move(started));
        std::vector<std::unique_ptr<Task>> tasks;
        for (std::int64_t i = 0; i < count; ++i) {
            tasks.push_back(
                std::make_unique<ProcessTask>(shared, hello_, static_cast<std::uint32_t>(i)));
        }
        return tasks;
    }
    [[nodiscard]] std::optional<ProgramStatement> program() const override
    {
        return ProgramStatement{spec_.observation_size, spec_.action_size, spec_.episode_steps,
                                spec_.seconds_per_step, spec_.fitness,     hello_.renders,
                                spec_.reward_terms};
    }
    [[nodiscard]] std::shared_ptr<Domain const> with_damage(Damage const& damage) const override
    {
        std::vector<std::string> words;
        for (auto const& part : damage.parts()) {
            words.push_back(part.text);
        }
        return std::make_shared<ProcessDomain const>(settings_, std::move(words));
    }

  private:
    DomainSettings settings_;
    EnvironmentSetup setup_;
    mutable std::mutex mutex_;
    mutable std::unique_ptr<Environment> first_;
    process::Hello hello_;
    TaskSpec spec_;
};

}  // namespace

DomainPtr make_process(DomainSettings const& settings, ModelText const*)
{
    auto const& command = settings.process.command;
    bool const usable = !command.empty() && !command.front().empty()
                        && std::ranges::all_of(command, [](std::string const& word) {
                               return word.find('\0') == std::string::npos;
                           });
    if (!usable) {
        throw ConfigError{"cannot start the environment", "domain.command does not name a program",
                          "Set domain.command to a program and its arguments."};
    }
    return std::make_shared<ProcessDomain const>(settings, std::vector<std::string>{});
}

}  // namespace mees

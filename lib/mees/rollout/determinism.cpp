#include "mees/rollout/determinism.hpp"

#include "mees/core/stopwatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace mees {
namespace {

constexpr std::uint64_t seed = 1;
constexpr std::int64_t steps_before = 3;
constexpr std::int64_t another = 1'000'000;  ///< the first of other episodes

Stream initial_state(std::int64_t episode)
{
    return {seed, Purpose::test, Generation{1}, episode};
}

/// Two tasks that should do the same.
class Pair {
  public:
    explicit Pair(Domain const& domain)
        : one_{domain.make_task()},
          other_{domain.make_task()},
          action_(static_cast<std::size_t>(domain.spec().action_size)),
          bc_(domain.spec().bc_names.size()),
          observation_(static_cast<std::size_t>(domain.spec().observation_size))
    {
    }

    void begin(std::int64_t episode)
    {
        auto stream = initial_state(another + episode);
        other_->reset(stream);
        for (std::int64_t i = 0; i < steps_before && !other_->terminated(); ++i) {
            other_->step(action_);
        }
        for (auto* const task : {one_.get(), other_.get()}) {
            auto same = initial_state(episode);
            task->reset(same);
        }
    }
    void step(Stream& actions)
    {
        std::ranges::generate(action_, [&] { return actions.uniform(-1, 1); });
        one_->step(action_);
        other_->step(action_);
    }
    [[nodiscard]] bool ended() const { return one_->terminated() || other_->terminated(); }

    /// The first number that differs; empty: none.
    [[nodiscard]] std::string difference(bool stepped)
    {
        auto const one = numbers(*one_, stepped);
        auto const other = numbers(*other_, stepped);
        auto const [a, b] = std::ranges::mismatch(one, other);
        if (a == one.end()) {
            return {};
        }
        return fmt::format("{} is {} and {}", name_of(static_cast<std::size_t>(a - one.begin())),
                           *a, *b);
    }
    [[nodiscard]] std::string difference_of_behaviour()
    {
        auto other = bc_;
        one_->behaviour(bc_);
        other_->behaviour(other);
        return bc_ == other ? "" : fmt::format("the BC {} and {}", bc_.front(), other.front());
    }

  private:
    [[nodiscard]] std::vector<double> numbers(Task const& task, bool stepped)
    {
        task.observe(observation_);
        auto result = observation_;
        if (stepped) {
            result.push_back(task.reward());
            result.push_back(task.terminated() ? 1 : 0);
        }
        return result;
    }
    [[nodiscard]] std::string name_of(std::size_t index) const
    {
        if (index < observation_.size()) {
            return fmt::format("observation {}", index);
        }
        return index == observation_.size() ? "the reward" : "whether the episode has ended";
    }

    std::unique_ptr<Task> one_;
    std::unique_ptr<Task> other_;
    std::vector<double> action_;
    std::vector<double> bc_;
    std::vector<double> observation_;
};

}  // namespace

Determinism check_determinism(Domain const& domain, DeterminismEffort const& effort)
{
    Stopwatch watch;
    Pair pair{domain};
    Determinism result;
    auto const length = std::min(effort.steps, domain.spec().episode_steps);
    for (std::int64_t episode = 0; episode < effort.episodes; ++episode) {
        pair.begin(episode);
        auto found = pair.difference(false);
        Stream actions{seed, Purpose::test, Generation{0}, episode};
        std::int64_t step = 0;
        for (; step < length && found.empty() && !pair.ended(); ++step) {
            if (watch.seconds() > effort.seconds) {
                return result;
            }
            pair.step(actions);
            ++result.steps;
            found = pair.difference(true);
        }
        if (found.empty()) {
            found = pair.difference_of_behaviour();
        }
        if (!found.empty()) {
            result.difference =
                fmt::format("episode {}, after {} control steps: {}", episode, step, found);
            return result;
        }
    }
    return result;
}

}  // namespace mees

#include "physics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

using namespace mees;
using namespace mees::test;

namespace {

/// All numbers of an episode.
struct Trace {
    std::vector<double> numbers;
    friend bool operator==(Trace const&, Trace const&) = default;
};

Trace run(Task& task, TaskSpec const& spec, std::int64_t index, int steps)
{
    Trace trace;
    auto reset = stream_of(index);
    auto actions = stream_of(1'000'000 + index);
    std::vector<double> observation(spec.observation_size);
    std::vector<double> action(spec.action_size);
    std::vector<double> bc(spec.bc_names.size());
    task.reset(reset);
    for (int step = 0; step < steps; ++step) {
        task.observe(observation);
        std::generate(action.begin(), action.end(), [&] { return actions.uniform(-1, 1); });
        task.step(action);
        trace.numbers.insert(trace.numbers.end(), observation.begin(), observation.end());
        trace.numbers.push_back(task.reward());
        trace.numbers.push_back(task.terminated() ? 1 : 0);
    }
    task.behaviour(bc);
    trace.numbers.insert(trace.numbers.end(), bc.begin(), bc.end());
    trace.numbers.push_back(task.fitness());
    return trace;
}

}  // namespace

TEST_CASE("every registered domain steps as its spec describes", "[sim]")
{
    for (auto const& name : names_of(DomainRegistry{}.known())) {
        INFO(name);
        auto const domain = make_domain(example_of(name));
        auto const& spec = domain->spec();
        CHECK(spec.name == name);
        CHECK(spec.observation_size > 0);
        CHECK(spec.action_size > 0);
        CHECK(spec.episode_steps > 0);
        CHECK(spec.seconds_per_step > 0);
        CHECK(spec.bc_lower.size() == spec.bc_names.size());
        CHECK(spec.bc_upper.size() == spec.bc_names.size());
        CHECK(spec.bc_bins.size() == spec.bc_names.size());

        auto const task = domain->make_task();
        auto const trace = run(*task, spec, 0, 20);
        CHECK(std::all_of(trace.numbers.begin(), trace.numbers.end(),
                          [](double x) { return std::isfinite(x); }));
        CHECK_FALSE(task->diverged());
        auto const terms = task->terms();
        CHECK(terms.size() == spec.reward_terms.size());
        CHECK(std::accumulate(terms.begin(), terms.end(), 0.0) == task->reward());
    }
}

TEST_CASE("an episode depends on its stream only, not on earlier episodes", "[sim]")
{
    for (auto const& name : names_of(DomainRegistry{}.known())) {
        INFO(name);
        auto const domain = make_domain(example_of(name));
        auto const fresh = domain->make_task();
        auto const used = domain->make_task();
        (void)run(*used, domain->spec(), 1, 60);
        (void)run(*used, domain->spec(), 2, 7);
        CHECK(run(*fresh, domain->spec(), 3, 40) == run(*used, domain->spec(), 3, 40));
        CHECK(run(*fresh, domain->spec(), 4, 10) != run(*used, domain->spec(), 5, 10));
    }
}

// Origin of the sizes: the paper's networks, 27, 29 and 376 inputs, 8, 8 and 17 outputs.
TEST_CASE("the paper's domains have the paper's sizes", "[sim]")
{
    struct Sizes {
        char const* name;
        std::int64_t inputs, outputs, steps, cells;
    };
    for (auto const& sizes :
         {Sizes{"ant", 27, 8, 1000, 10'000}, Sizes{"ant_maze", 29, 8, 3000, 100},
          Sizes{"deceptive_humanoid", 376, 17, 1000, 91 * 91}}) {
        INFO(sizes.name);
        auto const domain = make_domain(settings_for(sizes.name));
        auto const& spec = domain->spec();
        CHECK(spec.observation_size == sizes.inputs);
        CHECK(spec.action_size == sizes.outputs);
        CHECK(spec.episode_steps == sizes.steps);
        CHECK(std::accumulate(spec.bc_bins.begin(), spec.bc_bins.end(), std::int64_t{1},
                              std::multiplies<>{})
              == sizes.cells);
    }
}

TEST_CASE("the model's hash is stable and changes with the physics", "[sim]")
{
    auto settings = settings_for("ant");
    auto const hash = make_domain(settings)->spec().model_sha256;
    CHECK(hash.size() == 64);
    CHECK(make_domain(settings)->spec().model_sha256 == hash);
    settings.integrator = Integrator::euler;
    CHECK(make_domain(settings)->spec().model_sha256 != hash);
    settings.integrator = Integrator::model;
    settings.damage = {"J0"};
    CHECK(make_domain(settings)->spec().model_sha256 != hash);
}

#include "mees/core/error.hpp"
#include "mees/sim/process/protocol.hpp"
#include "physics.hpp"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

using namespace mees;
using namespace mees::test;
using Catch::Matchers::ContainsSubstring;

namespace {

DomainSettings bad(std::string const& fault, std::vector<std::string> more = {})
{
    std::vector<std::string> command{MEES_BAD_ENVIRONMENT, fault};
    command.insert(command.end(), more.begin(), more.end());
    auto settings = in_process(std::move(command));
    settings.process.step_timeout_seconds = 0.5;
    return settings;
}

/// Runs the first three episodes, of eight control steps each: the fault is in the third.
void run_three(Task& task)
{
    for (int episode = 0; episode < 3; ++episode) {
        auto stream = stream_of(episode);
        task.reset(stream);
        for (int step = 0; step < 8; ++step) {
            task.step(std::array{0.5});
        }
    }
}

void run_three(DomainSettings const& settings)
{
    auto const domain = make_domain(settings);
    run_three(*domain->make_task());
}

bool exists(int process)
{
    std::ifstream status{"/proc/" + std::to_string(process) + "/stat"};
    std::string id;
    std::string name;
    std::string state;
    return status >> id >> name >> state && state != "Z";
}

/// The processes whose parent, or the parent of it, ..., is this process.
std::vector<int> descendants()
{
    std::vector<int> family{::getpid()};
    for (std::size_t i = 0; i < family.size(); ++i) {
        std::error_code gone;  // it may have ended meanwhile
        auto const threads = "/proc/" + std::to_string(family[i]) + "/task";
        for (auto const& task : std::filesystem::directory_iterator{threads, gone}) {
            std::ifstream children{task.path() / "children"};
            for (int child = 0; children >> child;) {
                family.push_back(child);
            }
        }
    }
    family.erase(family.begin());
    std::erase_if(family, [](int process) { return !exists(process); });
    return family;
}

/// Whether none of these processes exists within two seconds.
bool all_gone(std::vector<int> const& processes)
{
    for (int i = 0; i < 200; ++i) {
        if (std::none_of(processes.begin(), processes.end(), exists)) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    return false;
}

}  // namespace

// The expected numbers are those of docs/process-domain/point.c, computed here.
TEST_CASE("an environment in another process steps as it would here", "[process]")
{
    auto const domain = make_domain(in_process());
    CHECK(domain->spec().bc_names == std::vector<std::string>{"final_x", "final_y"});
    CHECK(domain->spec().reward_terms == std::vector<std::string>{"forward", "effort"});
    auto const task = domain->make_task();
    auto stream = stream_of(3);
    std::uint64_t const bits = (std::uint64_t{stream_of(3).next()} + 1) * 0x9E3779B97F4A7C15U;
    double x = static_cast<double>(bits >> 40) / (1 << 24) - 0.5;
    task->reset(stream);
    std::array<double, 4> observation{};
    task->observe(observation);
    CHECK(observation[0] == x);
    double velocity = 0;
    double fitness = 0;
    for (int step = 0; step < 10; ++step) {
        std::array const action{0.8, -0.1};
        task->step(action);
        velocity = 0.9 * velocity + 0.5 * action[0];
        double const before = x;
        x += 0.1 * velocity;
        double const effort = -0.05 * (action[0] * action[0] + action[1] * action[1]);
        CHECK(task->terms()[0] == Approx((x - before) / 0.1));
        CHECK(task->terms()[1] == Approx(effort));
        CHECK(task->reward() == task->terms()[0] + task->terms()[1]);
        fitness += task->reward();
    }
    task->observe(observation);
    CHECK(observation[0] == Approx(x));
    CHECK(task->fitness() == Approx(fitness));
    std::array<double, 2> bc{};
    task->behaviour(bc);
    CHECK(bc[0] == observation[0]);
}

TEST_CASE("episodes that a process runs at once are those that it runs alone", "[process]")
{
    auto settings = in_process();
    settings.process.batch = 3;
    auto const domain = make_domain(settings);
    auto const together = domain->make_tasks(3);
    auto const alone = make_domain(in_process())->make_task();
    std::array const action{0.3, 0.7};
    for (std::size_t i = 0; i < 3; ++i) {
        auto stream = stream_of(static_cast<std::int64_t>(i));
        together[i]->reset(stream);
    }
    for (int step = 0; step < 5; ++step) {
        for (std::size_t i = 0; i < 3; i += 1 + step % 2) {
            together[i]->begin_step(action);
        }
        for (std::size_t i = 0; i < 3; i += 1 + step % 2) {
            together[i]->finish_step();
        }
    }
    for (std::size_t i = 0; i < 3; ++i) {
        auto stream = stream_of(static_cast<std::int64_t>(i));
        alone->reset(stream);
        for (int step = 0; step < (i == 1 ? 3 : 5); ++step) {
            alone->step(action);
        }
        std::array<double, 4> one{};
        std::array<double, 4> other{};
        together[i]->observe(one);
        alone->observe(other);
        CHECK(one == other);
        CHECK(together[i]->fitness() == alone->fitness());
    }
}

TEST_CASE("an environment that misbehaves is reported with its status and last lines", "[process]")
{
    auto const lost = message_of<EnvironmentLost>([] { run_three(bad("dies")); });
    CHECK_THAT(lost, ContainsSubstring("ended during a control step"));
    CHECK_THAT(lost, ContainsSubstring("its exit status is 7"));
    CHECK_THAT(lost, ContainsSubstring("the motor exploded"));
    CHECK_THAT(message_of<EnvironmentLost>([] { run_three(bad("crashes")); }),
               ContainsSubstring("ended by signal 11"));
    auto const late = message_of<SimulationError>([] { run_three(bad("hangs")); });
    CHECK_THAT(late, ContainsSubstring("no answer for a control step within 0.5 s"));
    CHECK_THAT(late, ContainsSubstring("it was still running"));
    CHECK_THAT(late, ContainsSubstring("waiting for Godot"));
    CHECK_THAT(message_of<SimulationError>([] { run_three(bad("garbage")); }),
               ContainsSubstring("is not a message of the protocol"));
    CHECK_THAT(message_of<SimulationError>([] { run_three(bad("nan")); }),
               ContainsSubstring("observation contains nan at index 0"));
    CHECK_THAT(message_of<SimulationError>([] { run_three(bad("infinite-reward")); }),
               ContainsSubstring("reward contains inf"));
    CHECK_THAT(message_of<SimulationError>([] { run_three(bad("size")); }),
               ContainsSubstring("has 32 bytes instead of 24"));
}

TEST_CASE("an environment that cannot be used is refused when it starts", "[process]")
{
    auto const refusal = [](DomainSettings const& settings) {
        return message_of<SimulationError>([&] { (void)make_domain(settings); });
    };
    CHECK_THAT(refusal(bad("dies-at-start")), ContainsSubstring("its exit status is 9"));
    CHECK_THAT(refusal(bad("dies-at-start")), ContainsSubstring("no licence for the simulator"));
    CHECK_THAT(refusal(bad("version")),
               ContainsSubstring("it speaks version 2 of the protocol, this program version 1"));
    CHECK_THAT(refusal(in_process({"/nonexistent/program"})),
               ContainsSubstring("it cannot be started: No such file"));
    CHECK_THAT(message_of<ConfigError>([] {
                   auto settings = in_process();
                   settings.damage = {"J0"};
                   (void)make_domain(settings);
               }),
               ContainsSubstring("invalid damage \"J0\""));
}

TEST_CASE("what an environment prints does not disturb it", "[process]")
{
    auto const domain = make_domain(bad("prints"));
    auto const task = domain->make_task();
    for (int i = 0; i < 300; ++i) {  // more than a pipe holds
        run_three(*task);
    }
    CHECK(task->fitness() == 8);
}

TEST_CASE("a task whose environment was lost starts another for the next episode", "[process]")
{
    auto const mark = std::filesystem::temp_directory_path()
                      / ("mees_test_process_" + std::to_string(::getpid()));
    auto const domain = make_domain(bad("dies", {"5", mark.string()}));
    auto const task = domain->make_task();
    CHECK_NOTHROW(run_three(*task));
    CHECK_THROWS_AS(run_three(*task), EnvironmentLost);
    CHECK_NOTHROW(run_three(*task));
    CHECK(task->fitness() == 8);
    std::filesystem::remove(mark);
}

TEST_CASE("a hanging environment does not delay an episode that is dropped", "[process]")
{
    auto settings = bad("hangs");
    settings.process.step_timeout_seconds = 60;
    auto const domain = make_domain(settings);
    auto const task = domain->make_task();
    auto const begin = std::chrono::steady_clock::now();
    std::function<bool()> const dropped = [&] {
        return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds{200};
    };
    task->watch(dropped);
    CHECK_THROWS_AS(run_three(*task), EpisodeDropped);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{10});
}

TEST_CASE("no process of an environment stays, also of those that it started", "[process]")
{
    std::vector<int> family;
    {
        auto const domain = make_domain(bad("children"));
        auto const task = domain->make_task();
        auto stream = stream_of(0);
        task->reset(stream);
        // Two wardens, the environment and its three; processes between them end soon.
        std::vector<int> before;
        for (int i = 0; i < 1000 && (family.size() != 6 || family != before); ++i) {
            before = std::exchange(family, descendants());
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        }
        REQUIRE(family.size() == 6);
    }
    CHECK(all_gone(family));
}

TEST_CASE("whichever warden is killed, nothing of its environment stays", "[process]")
{
    // 0: the outer, 1: the inner, 2: both, which only leaves what the mark does not find.
    int const victims = GENERATE(0, 1, 2);
    CAPTURE(victims);
    std::size_t const expected = victims == 2 ? 5 : 6;
    auto const domain = make_domain(bad(victims == 2 ? "marked-children" : "children"));
    auto const task = domain->make_task();
    auto stream = stream_of(0);
    task->reset(stream);
    std::vector<int> family;
    std::vector<int> before;
    for (int i = 0; i < 1000 && (family.size() != expected || family != before); ++i) {
        before = std::exchange(family, descendants());
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    REQUIRE(family.size() == expected);  // parents come before their children
    for (std::size_t i = 0; i < 2; ++i) {
        if (victims == 2 || static_cast<std::size_t>(victims) == i) {
            REQUIRE(::kill(family[i], SIGKILL) == 0);
        }
    }
    CHECK_THROWS_AS(
        [&] {
            for (int i = 0; i < 1000; ++i) {
                task->step(std::array{0.0});
                std::this_thread::sleep_for(std::chrono::milliseconds{1});
            }
        }(),
        EnvironmentLost);
    CHECK(all_gone(family));
}

TEST_CASE("a killed warden is named", "[process]")
{
    auto const domain = make_domain(in_process());
    auto const task = domain->make_task();
    auto stream = stream_of(0);
    task->reset(stream);
    auto const family = descendants();
    REQUIRE(family.size() == 3);
    REQUIRE(::kill(family[1], SIGKILL) == 0);
    CHECK_THAT(message_of<EnvironmentLost>([&] {
                   for (int i = 0; i < 1000; ++i) {
                       task->step(std::array{0.0, 0.0});
                       std::this_thread::sleep_for(std::chrono::milliseconds{1});
                   }
               }),
               ContainsSubstring("the process mees_warden that guards it was killed"));
}

TEST_CASE("the statement of an environment is checked", "[process]")
{
    using namespace process;
    auto const hello = [](std::uint32_t observations, std::string_view term, double lower,
                          bool more) {
        Writer writer;
        writer.begin(Kind::hello);
        for (std::uint32_t const value : {protocol_version, 1U, observations, 2U, 1U, 1U}) {
            writer.add(value);
        }
        writer.add(std::uint64_t{10});
        writer.add(0.1);
        writer.add(term);
        writer.add(std::string_view{"x"});
        writer.add(lower);
        writer.add(1.0);
        writer.add(std::uint64_t{5});
        if (more) {
            writer.add(1.0);
        }
        auto const bytes = writer.finish();
        return parse_hello(bytes.subspan(sizeof(Header)));
    };
    auto const good = hello(3, "speed", 0, false);
    REQUIRE(good.hello);
    CHECK(good.hello->observation_size == 3);
    CHECK(good.hello->renders);
    CHECK(good.hello->bc_bins == std::vector<std::int64_t>{5});
    CHECK_THAT(hello(0, "speed", 0, false).problem, ContainsSubstring("it states 0 observations"));
    CHECK_THAT(hello(3, "a b", 0, false).problem, ContainsSubstring("no spaces"));
    CHECK_THAT(hello(3, "speed", NAN, false).problem, ContainsSubstring("size that its counts"));
    CHECK_THAT(hello(3, "speed", 0, true).problem, ContainsSubstring("size that its counts"));
}

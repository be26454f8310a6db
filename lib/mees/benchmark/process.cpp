#include "mees/benchmark/bench.hpp"
#include "mees/benchmark/goals.hpp"
#include "mees/core/error.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/sim/process/protocol.hpp"
#include "mees/sim/registry.hpp"

#include <fmt/format.h>

#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace mees::bench {
namespace {

using process::Header;
using process::Kind;

constexpr char const* environment = "point_maze";  ///< the cheapest of the built-in domains
constexpr std::array<std::int64_t, 2> batches{1, 16};
constexpr std::uint32_t slots = 16;

std::vector<std::unique_ptr<Task>> make_environments(std::int64_t count)
{
    DomainSettings settings;
    settings.name = environment;
    return DomainRegistry{}.make(settings)->make_tasks(count);
}

TaskSpec spec_of_environment()
{
    DomainSettings settings;
    settings.name = environment;
    return DomainRegistry{}.make(settings)->spec();
}

/// Starts an episode as the process does for this seed.
void reset(Task& task, std::uint32_t seed)
{
    Stream stream{seed, Purpose::test, Generation{0}, 0};
    task.reset(stream);
}

/// Looks for a request for a while before this process sleeps, as docs/process-domain.md
/// recommends.
void look_for_request()
{
    constexpr double looking_seconds = 50e-6;
    Stopwatch const watch;
    pollfd request{process::request_descriptor, POLLIN, 0};
    while (::poll(&request, 1, 0) == 0 && watch.seconds() < looking_seconds) {
        ::sched_yield();
    }
}

bool read_all(void* data, std::size_t size)
{
    auto* bytes = static_cast<char*>(data);
    while (size > 0) {
        auto const count = ::read(process::request_descriptor, bytes, size);
        if (count <= 0) {
            return false;
        }
        bytes += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

void say_hello(process::Writer& reply, TaskSpec const& spec)
{
    for (std::int64_t const value :
         {std::int64_t{process::protocol_version}, std::int64_t{0}, spec.observation_size,
          spec.action_size, std::ssize(spec.reward_terms), std::ssize(spec.bc_names)}) {
        reply.add(static_cast<std::uint32_t>(value));
    }
    reply.add(static_cast<std::uint64_t>(spec.episode_steps));
    reply.add(spec.seconds_per_step);
    for (auto const& name : spec.reward_terms) {
        reply.add(std::string_view{name});
    }
    for (std::size_t i = 0; i < spec.bc_names.size(); ++i) {
        reply.add(std::string_view{spec.bc_names[i]});
    }
    for (std::size_t i = 0; i < spec.bc_names.size(); ++i) {
        reply.add(spec.bc_lower[i]);
        reply.add(spec.bc_upper[i]);
        reply.add(static_cast<std::uint64_t>(spec.bc_bins[i]));
    }
}

/// The built-in domain as an environment in another process.
class Server {
  public:
    void answer(Kind kind, std::span<std::byte const> request, process::Writer& reply)
    {
        if (kind == Kind::hello) {
            say_hello(reply, spec_);
            return;
        }
        std::size_t const each =
            sizeof(Header) + static_cast<std::size_t>(spec_.action_size) * sizeof(double);
        if (kind == Kind::step) {
            for (std::size_t at = 0; at < request.size(); at += each) {
                step(request.subspan(at, each), reply);
            }
            return;
        }
        auto& task = *tasks_.at(number_at(request, 0));
        if (kind == Kind::reset) {
            bench::reset(task, number_at(request, sizeof(std::uint32_t)));
            observe(task, reply);
        } else {
            std::vector<double> bc(spec_.bc_names.size());
            task.behaviour(bc);
            reply.add(std::span<double const>{bc});
        }
    }

  private:
    [[nodiscard]] static std::uint32_t number_at(std::span<std::byte const> bytes, std::size_t at)
    {
        std::uint32_t number = 0;
        std::memcpy(&number, bytes.data() + at, sizeof number);
        return number;
    }
    void step(std::span<std::byte const> request, process::Writer& reply)
    {
        std::memcpy(action_.data(), request.data() + sizeof(Header),
                    action_.size() * sizeof(double));
        auto& task = *tasks_.at(number_at(request, 0));
        task.step(action_);
        observe(task, reply);
        reply.add(task.terms());
        reply.add(std::uint64_t{task.terminated()});
    }
    void observe(Task const& task, process::Writer& reply)
    {
        task.observe(observation_);
        reply.add(std::span<double const>{observation_});
    }

    TaskSpec spec_{spec_of_environment()};
    std::vector<std::unique_ptr<Task>> tasks_{make_environments(slots)};
    std::vector<double> action_ = std::vector<double>(static_cast<std::size_t>(spec_.action_size));
    std::vector<double> observation_ =
        std::vector<double>(static_cast<std::size_t>(spec_.observation_size));
};

struct Costs {
    std::vector<double> alone;     ///< seconds of a control step of all episodes in this process
    std::vector<double> overhead;  ///< of the same steps in another process, minus that
};

void step_together(std::vector<std::unique_ptr<Task>> const& tasks, std::span<double const> action,
                   std::span<double> observation)
{
    for (auto const& task : tasks) {
        task->begin_step(action);
    }
    for (auto const& task : tasks) {
        task->finish_step();
        task->observe(observation);
    }
}

/// The same control steps here and in another process, in turn.
Costs measure_costs(Options const& options, std::int64_t count)
{
    DomainSettings settings;
    settings.name = "process";
    settings.process.command = {options.self.string(), server_argument};
    settings.process.batch = count;
    auto const domain = DomainRegistry{}.make(settings);
    auto const there = domain->make_tasks(count);
    auto const here = make_environments(count);
    for (std::size_t i = 0; i < there.size(); ++i) {
        auto const index = static_cast<std::int64_t>(i);
        Stream stream{1, Purpose::test, Generation{0}, index};
        there[i]->reset(stream);
        reset(*here[i], Stream{1, Purpose::test, Generation{0}, index}.next());
    }
    std::vector<double> const action(static_cast<std::size_t>(domain->spec().action_size), 0.5);
    std::vector<double> seen(static_cast<std::size_t>(domain->spec().observation_size));
    std::vector<double> seen_there(seen.size());
    Costs costs;
    int const repeats = options.quick ? 2000 : 20'000;
    for (int i = -repeats / 10; i < repeats; ++i) {
        double const alone = seconds_of(
                                 1, [&] { step_together(here, action, seen); }, wall_seconds)
                                 .front();
        double const both = seconds_of(
                                1, [&] { step_together(there, action, seen_there); }, wall_seconds)
                                .front();
        if (i >= 0) {
            costs.alone.push_back(alone);
            costs.overhead.push_back(both - alone);
        }
    }
    expects(seen == seen_there, "the same environment is measured in both processes");
    return costs;
}

}  // namespace

int serve_environment()
{
    Server server;
    std::vector<std::byte> request;
    process::Writer reply;
    for (;;) {
        Header header;
        look_for_request();
        if (!read_all(&header, sizeof header) || header.kind == Kind::close) {
            return 0;
        }
        request.resize(header.size);
        if (!read_all(request.data(), request.size())) {
            return 0;
        }
        reply.begin(header.kind);
        server.answer(header.kind, request, reply);
        auto const bytes = reply.finish();
        if (::write(process::reply_descriptor, bytes.data(), bytes.size())
            != static_cast<ssize_t>(bytes.size())) {
            return 1;
        }
    }
}

void measure_process(Table& table, Options const& options)
{
    auto const microseconds = [](std::vector<double> seconds, std::int64_t count) {
        for (auto& value : seconds) {
            value *= 1e6 / static_cast<double>(count);
        }
        return seconds;
    };
    for (auto const count : batches) {
        auto const costs = measure_costs(options, count);
        auto const what = count == 1 ? std::string{} : fmt::format(", {} episodes at once", count);
        table.add("process", fmt::format("{} alone, a control step{}", environment, what), "us",
                  microseconds(costs.alone, count));
        table.add("process", fmt::format("overhead in another process{}", what), "us",
                  microseconds(costs.overhead, count), goals::process_overhead_us);
    }
}

}  // namespace mees::bench

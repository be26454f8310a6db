#include "mees/benchmark/bench.hpp"
#include "mees/core/stopwatch.hpp"
#include "mees/sim/process/protocol.hpp"
#include "mees/sim/registry.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <cstring>

namespace mees::bench {
namespace {

using process::Header;
using process::Kind;

// The Ant's sizes.
constexpr std::uint32_t observation_size = 27;
constexpr std::uint32_t action_size = 8;
constexpr std::array<std::int64_t, 2> batches{1, 16};

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

void say_hello(process::Writer& reply)
{
    for (std::uint32_t const value :
         {process::protocol_version, 0U, observation_size, action_size, 1U, 1U}) {
        reply.add(value);
    }
    reply.add(std::uint64_t{1000});
    reply.add(0.05);
    reply.add(std::string_view{"reward"});
    reply.add(std::string_view{"x"});
    reply.add(-1.0);
    reply.add(1.0);
    reply.add(std::uint64_t{10});
}

/// Seconds of each of many control steps of `count` episodes at once.
std::vector<double> step_seconds(Options const& options, std::int64_t count)
{
    DomainSettings settings;
    settings.name = "process";
    settings.process.command = {options.self.string(), echo_argument};
    settings.process.batch = count;
    auto const domain = DomainRegistry{}.make(settings);
    auto const tasks = domain->make_tasks(count);
    std::vector<double> const action(action_size, 0.5);
    for (auto const& task : tasks) {
        Stream stream{1, Purpose::test, Generation{0}, 0};
        task->reset(stream);
    }
    auto const step = [&] {
        for (auto const& task : tasks) {
            task->begin_step(action);
        }
        for (auto const& task : tasks) {
            task->finish_step();
        }
    };
    int const repeats = options.quick ? 2000 : 20'000;
    static_cast<void>(seconds_of(repeats / 10, step, wall_seconds));
    return seconds_of(repeats, step, wall_seconds);
}

}  // namespace

/// Returns observations of which every entry is the first number of the action.
int serve_echo()
{
    std::vector<std::byte> request;
    process::Writer reply;
    for (;;) {
        Header header;
        if (!read_all(&header, sizeof header) || header.kind == Kind::close) {
            return 0;
        }
        request.resize(header.size);
        if (!read_all(request.data(), request.size())) {
            return 0;
        }
        reply.begin(header.kind);
        if (header.kind == Kind::hello) {
            say_hello(reply);
        } else if (header.kind == Kind::end) {
            reply.add(0.0);
        } else {
            std::size_t const each = sizeof(Header) + action_size * sizeof(double);
            std::size_t const count = header.kind == Kind::step ? request.size() / each : 1;
            for (std::size_t i = 0; i < count; ++i) {
                std::array<double, observation_size> observation{};
                if (header.kind == Kind::step) {
                    double first = 0;
                    std::memcpy(&first, request.data() + i * each + sizeof(Header), sizeof first);
                    observation.fill(first);
                }
                reply.add(std::span<double const>{observation});
                if (header.kind == Kind::step) {
                    reply.add(1.0);
                    reply.add(std::uint64_t{0});
                }
            }
        }
        auto const bytes = reply.finish();
        if (::write(process::reply_descriptor, bytes.data(), bytes.size())
            != static_cast<ssize_t>(bytes.size())) {
            return 1;
        }
    }
}

void measure_process(Table& table, Options const& options)
{
    constexpr double goal = 10;
    for (auto const count : batches) {
        auto seconds = step_seconds(options, count);
        for (auto& value : seconds) {
            value *= 1e6 / static_cast<double>(count);
        }
        table.add("process",
                  count == 1 ? "a control step of an environment that does nothing"
                             : fmt::format("the same, {} episodes at once", count),
                  "us", std::move(seconds), Goal::at_most, goal);
    }
}

}  // namespace mees::bench

#include "mees/cluster/runtime.hpp"

#include "mees/cluster/detail/ranks.hpp"
#include "mees/core/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace mees {
namespace {

/// Rank 0: runs the body, prints what it throws, finds the exit status.
ExitCode run_as_master(std::string_view program, ClusterRuntime& runtime,
                       std::function<ExitCode(ClusterRuntime&)> const& body)
{
    try {
        return body(runtime);
    } catch (Error const& error) {
        print_error(program, error.what());
        return error.code();
    } catch (std::exception const& error) {
        print_error(program, error.what());
        return ExitCode::failure;
    }
}

/// Others: runs the body, reports what it throws to rank 0, or to stderr if MPI has failed.
ExitCode run_as_worker(std::string_view program, ClusterRuntime& runtime,
                       std::function<ExitCode(ClusterRuntime&)> const& body)
{
    try {
        try {
            (void)body(runtime);
        } catch (ShutdownRequested const&) {
        } catch (std::exception const& error) {
            if (mpi_failed()) {
                throw;
            }
            runtime.ranks().report(error);
        }
        return ExitCode::success;
    } catch (std::exception const& error) {
        print_error(program, fmt::format("rank {} on host {}: {}", runtime.rank(), runtime.host(),
                                         error.what()));
        return ExitCode::failure;
    }
}

}  // namespace

ClusterRuntime::ClusterRuntime(int& argc, char**& argv)
    : ranks_{std::make_unique<Ranks>(argc, argv)}
{
}

ClusterRuntime::~ClusterRuntime() = default;

int ClusterRuntime::rank() const
{
    return ranks_->topology().rank;
}

int ClusterRuntime::size() const
{
    return ranks_->topology().size;
}

int ClusterRuntime::nodes() const
{
    return ranks_->topology().nodes;
}

std::string const& ClusterRuntime::host() const
{
    return ranks_->host();
}

MasterTiming const& ClusterRuntime::master_timing() const
{
    return ranks_->timing;
}

void ClusterRuntime::set_silence_limit(double seconds)
{
    ranks_->silence_limit = seconds;
}

std::string ClusterRuntime::broadcast(std::string text)
{
    if (size() == 1) {
        return text;
    }
    auto& channel = ranks_->channel();
    if (is_master()) {
        auto const room = channel.prepare(static_cast<std::int64_t>(text.size()));
        std::ranges::copy(std::as_bytes(std::span{text}), room.begin());
        channel.send_prepared(CommandKind::text);
        return text;
    }
    auto const command = ranks_->next_command();
    expects(command.kind == CommandKind::text, "all ranks call the same broadcast");
    auto const payload = channel.payload();
    text.assign(reinterpret_cast<char const*>(payload.data()), payload.size());
    channel.finished();
    return text;
}

std::vector<std::string> ClusterRuntime::gather(std::string text)
{
    if (!is_master()) {
        send_bytes(0, Tag::gathered, std::as_bytes(std::span{text}));
        auto const command = ranks_->next_command();
        expects(command.kind == CommandKind::proceed, "all ranks call the same gather");
        ranks_->channel().finished();
        return {};
    }
    std::vector<std::string> all(static_cast<std::size_t>(size()));
    all.front() = std::move(text);
    if (size() > 1) {
        try {
            ranks_->collect(all);
            ranks_->channel().send(CommandKind::proceed);
        } catch (WorkerLost const&) {
            ranks_->give_up(std::current_exception());
            throw;
        }
    }
    return all;
}

int run_on_cluster(std::string_view program, int argc, char** argv,
                   std::function<ExitCode(ClusterRuntime&)> const& body)
{
    std::optional<ClusterRuntime> runtime;
    try {
        runtime.emplace(argc, argv);
    } catch (std::exception const& error) {
        if (rank_from_environment() == 0) {
            print_error(program, error.what());
        }
        return static_cast<int>(ExitCode::failure);
    }
    auto const code =
        static_cast<int>(runtime->is_master() ? run_as_master(program, *runtime, body)
                                              : run_as_worker(program, *runtime, body));
    runtime->ranks().end(code);
    return code;
}

std::string mpi_library_version()
{
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    std::string_view const full{text.data()};
    auto const end = full.find_first_of(",\n");
    std::string version{full.substr(0, end)};
    if (version.starts_with("Open MPI v")) {
        version.erase(9, 1);
    }
    return version;
}

}  // namespace mees

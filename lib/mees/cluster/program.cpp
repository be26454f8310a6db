#include "mees/cluster/mpi.hpp"
#include "mees/cluster/runtime.hpp"
#include "mees/cluster/runtime_impl.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <optional>
#include <string>

namespace mees {
namespace {

void say(std::string_view program, char const* what)
{
    fmt::print(stderr, "{}: error: {}\n", program, what);
    std::fflush(stderr);
}

/// Rank 0's: runs the body, tells the user what it threw, finds the exit status.
ExitCode run_as_master(std::string_view program, ClusterRuntime& runtime,
                       std::function<ExitCode(ClusterRuntime&)> const& body)
{
    try {
        return body(runtime);
    } catch (Error const& error) {
        say(program, error.what());
        return error.code();
    } catch (std::exception const& error) {
        say(program, error.what());
        return ExitCode::failure;
    }
}

void run_as_worker(ClusterRuntime& runtime, std::function<ExitCode(ClusterRuntime&)> const& body)
{
    try {
        (void)body(runtime);
    } catch (Dismissed const&) {
    } catch (std::exception const& error) {
        runtime.impl().report(runtime.impl().failure_here(error));
    }
}

}  // namespace

int run_on_cluster(std::string_view program, int argc, char** argv,
                   std::function<ExitCode(ClusterRuntime&)> const& body)
{
    std::optional<ClusterRuntime> runtime;
    try {
        runtime.emplace(argc, argv);
    } catch (std::exception const& error) {
        if (rank_from_environment() == 0) {
            say(program, error.what());
        }
        return static_cast<int>(ExitCode::failure);
    }
    if (runtime->is_master()) {
        auto const code = run_as_master(program, *runtime, body);
        runtime.reset();
        return static_cast<int>(code);
    }
    run_as_worker(*runtime, body);
    return 0;
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

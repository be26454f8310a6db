#include "mees/benchmark/spawn.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <sys/wait.h>
#include <unistd.h>

namespace mees::bench {

TemporaryFolder::TemporaryFolder(std::filesystem::path const& within)
    : path_{within / fmt::format("mees-bench-{}", getpid())}
{
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (error) {
        throw FileError{fmt::format("cannot create the folder {}", path_.string()), error.message(),
                        "Choose another folder with --folder."};
    }
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

int run_command(std::string const& command, std::filesystem::path const& output)
{
    auto const full =
        output.empty() ? command : fmt::format("{} > {} 2>&1", command, quoted(output));
    int const status = std::system(full.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string default_launcher()
{
    if (run_command("mpirun --version > /dev/null 2>&1") != 0
        && run_command("OMPI_ALLOW_RUN_AS_ROOT=1 mpirun --version > /dev/null 2>&1") != 0) {
        return "";
    }
    if (run_command("mpirun --version 2>&1 | grep -qE 'Open ?(MPI|RTE)'") != 0) {
        return "mpirun -n";
    }
    std::string command = "mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n";
    if (getuid() == 0) {
        command = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 " + command;
    }
    return command;
}

std::string quoted(std::filesystem::path const& path)
{
    std::string result = "'";
    for (char const character : path.string()) {
        result += character == '\'' ? "'\\''" : std::string{character};
    }
    return result + "'";
}

std::string read_text(std::filesystem::path const& path)
{
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace mees::bench

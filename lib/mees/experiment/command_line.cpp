#include "mees/experiment/command_line.hpp"

#include "mees/cluster/runtime.hpp"
#include "mees/core/error.hpp"
#include "mees/core/version.hpp"
#include "mees/sim/task.hpp"
#include "mees/storage/hdf5.hpp"

#include <fmt/format.h>

#include <utility>

namespace mees {

CommandLine::CommandLine(std::string program, std::string description, std::string footer)
    : program_{std::move(program)}, app_{std::move(description), program_}
{
    app_.footer(std::move(footer));
    app_.set_help_flag("-h,--help", "Print this help and exit");
    app_.set_version_flag("--version", version_text(program_), "Print versions and exit");
    app_.get_formatter()->column_width(34);
}

std::optional<std::string> CommandLine::parse(int argc, char const* const* argv)
{
    try {
        app_.parse(argc, argv);
        return std::nullopt;
    } catch (CLI::CallForHelp const&) {
        return app_.help();
    } catch (CLI::CallForAllHelp const&) {
        return app_.help("", CLI::AppFormatMode::All);
    } catch (CLI::CallForVersion const&) {
        return version_text(program_);
    } catch (CLI::ParseError const& error) {
        throw ConfigError{"the command line cannot be understood", error.what(),
                          fmt::format("See {} --help.", program_)};
    }
}

std::string version_text(std::string const& program)
{
    return fmt::format("{} {}\ncommit {}\nMuJoCo {}\nMPI {}\nHDF5 {}\nEigen {}\nbuild {}\n", program,
                       version(), git_commit(), engine_version(), mpi_library_version(),
                       hdf5::library_version(), eigen_version(), build_type());
}

}  // namespace mees

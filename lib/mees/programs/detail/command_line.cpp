#include "mees/programs/detail/command_line.hpp"

#include "mees/cluster/runtime.hpp"
#include "mees/core/error.hpp"
#include "mees/core/output.hpp"
#include "mees/core/version.hpp"
#include "mees/sim/task.hpp"
#include "mees/storage/hdf5/file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>

namespace mees {

namespace {

constexpr std::size_t line_width = 100;
constexpr std::size_t description_column = 34;

/// `text` with line breaks between words, so that no line is longer than `width` where words allow.
std::string wrapped(std::string const& text, std::size_t width)
{
    std::string result;
    std::size_t column = 0;
    std::istringstream words{text};
    for (std::string word; words >> word;) {
        bool const fits = column + 1 + word.size() <= width;
        if (!result.empty()) {
            result += fits ? ' ' : '\n';
            column = fits ? column + 1 : 0;
        }
        result += word;
        column += word.size();
    }
    return result;
}

/// CLI11's help within the line width and without the inner values of choices.
class HelpFormatter final : public CLI::Formatter {
  public:
    HelpFormatter() { column_width(description_column); }

    std::string make_option_desc(CLI::Option const* option) const override
    {
        return wrapped(option->get_description(), line_width - description_column);
    }
};

/// The output of --version.
std::string version_text(std::string const& program)
{
    return fmt::format("{} {}\ncommit {}\nMuJoCo {}\nMPI {}\nHDF5 {}\nEigen {}\nbuild {}\n",
                       program, version(), git_commit(), engine_version(), mpi_library_version(),
                       hdf5::library_version(), eigen_version(), build_type());
}

}  // namespace

CommandLine::CommandLine(std::string program, std::string description, std::string footer)
    : program_{std::move(program)}, app_{std::move(description), program_}
{
    app_.footer(std::move(footer));
    app_.set_help_flag("-h,--help", "Print this help and exit");
    app_.set_version_flag("--version", version_text(program_), "Print versions and exit");
    app_.formatter(std::make_shared<HelpFormatter>());
}

std::optional<std::string> CommandLine::parse(int argc, char const* const* argv)
{
    try {
        app_.parse(argc, argv);
        return std::nullopt;
    } catch (CLI::CallForHelp const&) {
        return app_.help();
    } catch (CLI::CallForVersion const&) {
        return version_text(program_);
    } catch (CLI::ParseError const& error) {
        throw ConfigError{"invalid command line", error.what(),
                          fmt::format("See {} --help.", program_)};
    }
}

int run_program(std::string const& program, std::function<ExitCode()> const& body)
{
    protect_standard_descriptors();
    auto code = ExitCode::failure;
    try {
        code = body();
    } catch (Error const& error) {
        print_error(program, error.what());
        code = error.code();
    } catch (std::exception const& error) {
        print_error(program, error.what());
    }
    return finish_output(program, static_cast<int>(code));
}

int finish_output(std::string const& program, int code)
{
    errno = 0;
    bool const written = std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (written) {
        return code;
    }
    print_error(program, fmt::format("cannot write all output (standard output: {}). Redirect it "
                                     "to a file on a disk with free space.",
                                     errno != 0 ? std::strerror(errno) : "a write failed"));
    return code == 0 ? static_cast<int>(ExitCode::failure) : code;
}

}  // namespace mees

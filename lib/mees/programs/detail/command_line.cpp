#include "mees/programs/detail/command_line.hpp"

#include "mees/cluster/runtime.hpp"
#include "mees/core/error.hpp"
#include "mees/core/output.hpp"
#include "mees/core/version.hpp"
#include "mees/report/terminal.hpp"
#include "mees/sim/task.hpp"
#include "mees/storage/hdf5/file.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>

namespace mees {

namespace {

constexpr int widest = 100;
constexpr int narrowest = 60;
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

/// The columns of a terminal that is narrower than usual.
std::size_t line_width()
{
    auto const terminal = detect_terminal(STDOUT_FILENO);
    return static_cast<std::size_t>(
        terminal.interactive ? std::clamp(terminal.columns, narrowest, widest) : widest);
}

/// The column in which the description of an indented line of the help begins; 0: it has none.
std::size_t column_of_description(std::string const& line)
{
    constexpr std::size_t deepest_term = 6;
    auto const first = line.find_first_not_of(' ');
    if (first > deepest_term) {
        return first;
    }
    auto const gap = line.find("  ", first);
    return gap == std::string::npos ? 0 : line.find_first_not_of(' ', gap);
}

/// An indented line of the help in lines of this width: a description continues in its column, a
/// list of choices after a comma.
std::string broken_entry(std::string line, std::size_t width)
{
    constexpr std::size_t indent_of_choices = 6;
    auto const column = column_of_description(line);
    auto const indent = column > 0 ? column : indent_of_choices;
    std::string result;
    while (line.size() > width) {
        auto const end = column > 0 ? line.rfind(' ', width) : line.rfind(',', width - 1);
        if (end == std::string::npos || end <= indent) {
            break;
        }
        result += line.substr(0, column > 0 ? end : end + 1) + '\n';
        line = std::string(indent, ' ') + line.substr(end + 1);
    }
    return result + line + '\n';
}

/// The help broken again for this width. A line of a paragraph continues the one before unless that
/// ends a sentence or a heading.
std::string reflowed(std::string const& help, std::size_t width)
{
    std::string result;
    std::string paragraph;
    auto const flush = [&] {
        result += paragraph.empty() ? "" : wrapped(paragraph, width) + '\n';
        paragraph.clear();
    };
    std::istringstream lines{help};
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.front() == ' ') {
            flush();
            result += broken_entry(std::move(line), width);
            continue;
        }
        paragraph += (paragraph.empty() ? "" : " ") + line;
        if (line.back() == '.' || line.back() == ':') {
            flush();
        }
    }
    flush();
    return result;
}

/// CLI11's help within the line width and without the inner values of choices.
class HelpFormatter final : public CLI::Formatter {
  public:
    HelpFormatter() { column_width(description_column); }

    std::string make_option_desc(CLI::Option const* option) const override
    {
        return wrapped(option->get_description(), line_width() - description_column);
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
        auto const width = line_width();
        return width < static_cast<std::size_t>(widest) ? reflowed(app_.help(), width)
                                                        : app_.help();
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

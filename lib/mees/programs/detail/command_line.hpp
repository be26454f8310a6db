#pragma once

#include "mees/core/error.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mees {

/// A parsed command line: the options, or a text to print (help, version) instead.
template <class Options>
struct Parsed {
    std::optional<Options> options;
    std::string text;
};

/// The command line of a program, uniform for all of them: --help and --version, 100 columns,
/// errors as ConfigError.
class CommandLine {
  public:
    CommandLine(std::string program, std::string description, std::string footer = {});

    [[nodiscard]] CLI::App& app() { return app_; }
    /// A text to print instead of running, if the command line asks for one. Throws ConfigError.
    [[nodiscard]] std::optional<std::string> parse(int argc, char const* const* argv);

  private:
    std::string program_;
    CLI::App app_;
};

/// An option with named values; help and errors list the names only.
template <class Value>
CLI::Option* add_choice(CLI::App& app, std::string const& name, Value& target,
                        std::vector<std::pair<std::string, Value>> const& choices,
                        std::string const& description)
{
    std::vector<std::string> words;
    for (auto const& [word, value] : choices) {
        words.push_back(word);
    }
    auto const choose = [&target, choices](std::string const& chosen) {
        target = std::ranges::find(choices, chosen, &std::pair<std::string, Value>::first)->second;
    };
    return app.add_option_function<std::string>(name, choose, description)
        ->check(CLI::IsMember(words));
}

/// A main() without MPI: prints an exception of `body` as "program: error: ...". Returns the exit
/// status.
[[nodiscard]] int run_program(std::string const& program, std::function<ExitCode()> const& body);

/// The exit status of a program that would end with `code`: a failure if it wrote to stdout and not
/// all of that was taken, which is reported.
[[nodiscard]] int finish_output(std::string const& program, int code);

}  // namespace mees

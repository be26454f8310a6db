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

/// What a command line asks for: something to do, or a text (help, version) that was all.
template <class Options>
struct Parsed {
    std::optional<Options> options;
    std::string text;
};

/// A program's command line, made alike for all programs: --help and --version, 100 columns, errors
/// as ConfigError.
class CommandLine {
  public:
    CommandLine(std::string program, std::string description, std::string footer = {});

    [[nodiscard]] CLI::App& app() { return app_; }
    /// Parses; a text if that is all the command line asks for. Throws ConfigError.
    [[nodiscard]] std::optional<std::string> parse(int argc, char const* const* argv);

  private:
    std::string program_;
    CLI::App app_;
};

/// An option whose words stand for values; help and errors name the words alone.
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

/// The whole of a main() without MPI: what `body` throws is printed as "program: error: ...". The
/// result is the exit status.
[[nodiscard]] int run_program(std::string const& program, std::function<ExitCode()> const& body);

/// What --version prints: version, git commit, versions of the libraries, build type.
[[nodiscard]] std::string version_text(std::string const& program);

}  // namespace mees

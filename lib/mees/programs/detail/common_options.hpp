#pragma once

#include "mees/core/atomic_file.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Options that several programs share.

namespace mees {

/// Why the text is not an integer in this range; empty if it is.
[[nodiscard]] std::string integer_problem(std::string const& text, std::int64_t lower,
                                          std::int64_t upper);

/// An option that takes an integer in this range, in decimal digits. `Value` is an integer or an
/// optional one.
template <class Value>
CLI::Option* add_integer(CLI::App& app, std::string const& name, Value& target, std::int64_t lower,
                         std::int64_t upper, std::string const& description)
{
    auto const store = [&target](std::string const& text) {
        auto const number = std::strtoll(text.c_str(), nullptr, 10);
        if constexpr (std::is_integral_v<Value>) {
            target = static_cast<Value>(number);
        } else {
            target = number;
        }
    };
    return app.add_option_function<std::string>(name, store, description)
        ->type_name("N")
        ->check([lower, upper](std::string const& text) {
            return integer_problem(text, lower, upper);
        });
}

/// The text as a number in decimal digits; empty if it is not one, or not finite.
[[nodiscard]] std::optional<double> finite_number(std::string const& text);

/// Why the text is not a finite number in this range; empty if it is.
[[nodiscard]] std::string real_problem(std::string const& text, double lower, double upper);

inline constexpr double unbounded = std::numeric_limits<double>::infinity();

/// An option that takes a finite number in this range. `Value` is double or an optional one.
template <class Value>
CLI::Option* add_real(CLI::App& app, std::string const& name, Value& target, double lower,
                      double upper, std::string const& description)
{
    auto const store = [&target](std::string const& text) { target = finite_number(text).value(); };
    return app.add_option_function<std::string>(name, store, description)
        ->type_name("X")
        ->check(
            [lower, upper](std::string const& text) { return real_problem(text, lower, upper); });
}

/// A run folder stands for its map.h5; `folder`, if not null, becomes that folder.
CLI::Option* add_map_file(
    CLI::App& app, std::filesystem::path& file, std::string const& name = "file",
    std::string const& description = "Map file or run folder, such as runs/NAME",
    std::filesystem::path* folder = nullptr);
CLI::Option* add_episodes(CLI::App& app, std::int32_t& episodes, std::string const& description);
CLI::Option* add_seed(CLI::App& app, std::optional<std::int64_t>& seed);
/// Whether existing files are replaced: --force.
CLI::Option* add_force(CLI::App& app, Existing& existing);
/// Repeatable.
CLI::Option* add_damages(CLI::App& app, std::vector<std::string>& damages,
                         std::string const& description);
/// Other conditions than the run's, as other_conditions takes them; repeatable.
CLI::Option* add_conditions(CLI::App& app, std::vector<std::string>& overrides);
/// 0: all cores.
CLI::Option* add_threads(CLI::App& app, unsigned& threads,
                         std::string const& description = "Threads without mpirun");
/// The model of the map's robot, instead of the one that the map carries.
CLI::Option* add_model(CLI::App& app, std::filesystem::path& model);
/// Whether a command that the map names may be run.
CLI::Option* add_allow_command(CLI::App& app, bool& allow);
/// Parse the value with parse_duration.
CLI::Option* add_time_limit(CLI::App& app, std::string& limit);

/// Throws ConfigError if two of the files that a program is to write are the same: what each is
/// (an option, or words) and its path; empty paths are none. The later one is named.
void require_distinct(std::vector<std::pair<std::string, std::filesystem::path>> const& outputs);

}  // namespace mees

#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// Options that several programs share.

namespace mees {

CLI::Option* add_map_file(CLI::App& app, std::filesystem::path& file);
CLI::Option* add_episodes(CLI::App& app, std::int32_t& episodes, std::string const& description);
CLI::Option* add_seed(CLI::App& app, std::optional<std::int64_t>& seed);
/// Repeatable.
CLI::Option* add_damages(CLI::App& app, std::vector<std::string>& damages,
                         std::string const& description);
/// Other conditions than the run's, as other_conditions takes them; repeatable.
CLI::Option* add_conditions(CLI::App& app, std::vector<std::string>& overrides);
/// 0: all cores.
CLI::Option* add_threads(CLI::App& app, unsigned& threads,
                         std::string const& description = "Threads without mpirun");
/// Parse the value with parse_duration.
CLI::Option* add_time_limit(CLI::App& app, std::string& limit);

}  // namespace mees

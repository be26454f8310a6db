#pragma once

#include "mees/experiment/run_folder.hpp"
#include "mees/programs/detail/command_line.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mees {

/// The command line of mees_master.
struct MasterOptions {
    std::filesystem::path config;
    std::filesystem::path out;  ///< empty: runs/<config name>-seed<seed>
    Resume resume{Resume::automatic};
    std::vector<std::string> overrides;  ///< "section.key=value"
    std::optional<std::chrono::seconds> time_limit;
    unsigned threads{0};  ///< 0: all cores
    bool show_config{false};
    bool dry_run{false};
    bool self_test{false};  ///< instead of a run
};

/// Throws ConfigError for an invalid command line.
[[nodiscard]] Parsed<MasterOptions> parse_master_options(int argc, char const* const* argv);

}  // namespace mees

#pragma once

#include "mees/programs/detail/command_line.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mees {

/// The command line of mees_replay: a map, or recorded trajectories to check.
struct ReplayOptions {
    std::filesystem::path file;
    std::string cell{"best"};
    std::int32_t episodes{30};
    std::vector<std::string> damage;
    std::optional<std::int64_t> seed;  ///< of the initial states; empty: the run's
    unsigned threads{0};               ///< 0: all cores
    std::filesystem::path trajectory;  ///< empty: none
    std::filesystem::path video;       ///< empty: none
    std::vector<std::filesystem::path> references;
};

/// Throws ConfigError for an invalid command line.
[[nodiscard]] Parsed<ReplayOptions> parse_replay_options(int argc, char const* const* argv);

}  // namespace mees

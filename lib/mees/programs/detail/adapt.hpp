#pragma once

#include "mees/adaptation/recovery.hpp"
#include "mees/programs/detail/command_line.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mees {

/// The command line of mees_adapt.
struct AdaptOptions {
    std::filesystem::path map;
    std::vector<std::string> damages;  ///< as given: "J0,J1", "paper", ...
    std::int64_t seeds{1};
    std::filesystem::path out;  ///< empty: adapt.h5 next to the map
    RecoverySettings settings;
    std::optional<std::chrono::seconds> time_limit;
    unsigned threads{0};  ///< 0: all cores
};

/// Throws ConfigError for an invalid command line.
[[nodiscard]] Parsed<AdaptOptions> parse_adapt_options(int argc, char const* const* argv);

}  // namespace mees

#pragma once

#include "mees/programs/detail/command_line.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace mees {

/// The command line of mees_evaluate.
struct EvaluateOptions {
    std::filesystem::path file;
    std::filesystem::path out;  ///< empty: NAME.evaluated.h5 next to the map
    std::int32_t episodes{30};
    std::optional<std::int64_t> seed;  ///< of the initial states; empty: the run's
    unsigned threads{0};               ///< 0: all cores
};

/// Throws ConfigError for an invalid command line.
[[nodiscard]] Parsed<EvaluateOptions> parse_evaluate_options(int argc, char const* const* argv);

}  // namespace mees

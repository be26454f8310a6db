#pragma once

#include "mees/cluster/runtime.hpp"
#include "mees/core/error.hpp"
#include "mees/experiment/cluster_program.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace mees {

/// The command line of mees_evaluate.
struct EvaluateOptions {
    std::filesystem::path file;
    std::filesystem::path out;  ///< empty: beside the map, NAME.evaluated.h5
    std::int32_t episodes{30};
    std::optional<std::int64_t> seed;  ///< of the initial states; nothing: the run's
    unsigned threads{0};               ///< 0: all cores
};

/// Throws ConfigError for a command line that cannot be understood.
[[nodiscard]] Parsed<EvaluateOptions> parse_evaluate_options(int argc, char const* const* argv);

/// The whole of mees_evaluate on every rank. Returns rank 0's exit code.
[[nodiscard]] ExitCode run_evaluate(ClusterRuntime& runtime, EvaluateOptions const& options);

}  // namespace mees

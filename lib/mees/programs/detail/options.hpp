#pragma once

#include "mees/adaptation/recovery.hpp"
#include "mees/core/atomic_file.hpp"
#include "mees/programs/detail/command_line.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// The command lines of the programs that read a map.

namespace mees {

/// The command line of mees_adapt.
struct AdaptOptions {
    std::filesystem::path map;
    std::vector<std::string> damages;  ///< as given: "J0,J1", "paper", ...
    std::int64_t seeds{1};
    std::filesystem::path out;    ///< empty: adapt.h5 next to the map
    std::filesystem::path model;  ///< empty: the one that the map carries
    bool allow_command{false};    ///< that the map names
    RecoverySettings settings;
    std::optional<std::chrono::seconds> time_limit;
    unsigned threads{0};  ///< 0: all cores
    Existing existing{Existing::keep};
    bool ask{false};                            ///< prints the next trial instead of simulating one
    std::optional<double> tell;                 ///< the result of a trial that was made elsewhere
    std::vector<std::filesystem::path> priors;  ///< further maps, for --ask and --tell
    std::vector<std::string> given;             ///< names of the options that the user gave
};

/// The command line of mees_evaluate.
struct EvaluateOptions {
    std::filesystem::path file;
    std::filesystem::path out;    ///< empty: NAME.evaluated.h5 next to the map
    std::filesystem::path model;  ///< empty: the one that the map carries
    bool allow_command{false};    ///< that the map names
    std::int32_t episodes{30};
    bool independent{false};             ///< each elite has initial states of its own
    std::vector<std::string> overrides;  ///< "domain.key=value": other conditions than the run's
    std::string variants;                ///< "friction=0.5..1.5"; empty: none
    std::int64_t variant_count{32};
    std::int64_t variant_episodes{1};  ///< of each elite in each variant
    std::optional<std::int64_t> seed;  ///< of the initial states and variants; empty: the run's
    unsigned threads{0};               ///< 0: all cores
    Existing existing{Existing::keep};
};

/// The command line of mees_replay: a map, or recorded trajectories to check.
struct ReplayOptions {
    std::filesystem::path file;
    std::filesystem::path model;  ///< empty: the one that the map carries
    bool allow_command{false};    ///< that the map names
    std::string cell{"best"};
    std::int32_t episodes{30};
    std::vector<std::string> damage;
    std::vector<std::string> overrides;  ///< "domain.key=value": other conditions than the run's
    std::optional<std::int64_t> seed;    ///< of the initial states; empty: the run's
    unsigned threads{0};                 ///< 0: all cores
    std::filesystem::path trajectory;    ///< empty: none
    std::filesystem::path video;         ///< empty: none
    std::optional<std::string> video_size;
    double video_rate{34};  ///< frames per second, at most
    Existing existing{Existing::keep};
    std::vector<std::filesystem::path> references;
    std::filesystem::path domain_config;  ///< empty: none is checked
};

// These throw ConfigError for an invalid command line.

[[nodiscard]] Parsed<AdaptOptions> parse_adapt_options(int argc, char const* const* argv);
[[nodiscard]] Parsed<EvaluateOptions> parse_evaluate_options(int argc, char const* const* argv);
[[nodiscard]] Parsed<ReplayOptions> parse_replay_options(int argc, char const* const* argv);

}  // namespace mees

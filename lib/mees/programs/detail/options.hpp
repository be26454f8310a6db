#pragma once

#include "mees/adaptation/recovery.hpp"
#include "mees/algorithms/cell_refiner.hpp"
#include "mees/core/atomic_file.hpp"
#include "mees/navigation/navigator.hpp"
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
    std::optional<std::int64_t> trial;          ///< its number; empty: that of the pending one
    std::vector<std::filesystem::path> priors;  ///< further maps, for --ask and --tell
    std::vector<std::string> given;             ///< names of the options that the user gave
};

/// The command line of mees_navigate.
struct NavigateOptions {
    std::filesystem::path map;
    std::filesystem::path targets;
    std::filesystem::path arena;       ///< empty: an empty square
    std::vector<std::string> damages;  ///< as given; empty: the intact robot
    std::int64_t seeds{1};
    std::filesystem::path out;                ///< empty: nav.h5 next to the map
    std::filesystem::path video;              ///< empty: none
    std::filesystem::path trajectory;         ///< empty: none
    std::optional<std::string> shown_damage;  ///< of the walk that these two show; none: the first
    std::int64_t shown_seed{0};
    std::filesystem::path model;          ///< empty: the one that the map carries
    std::optional<double> least_fitness;  ///< of the elites that are used
    NavigationSettings settings;
    std::optional<std::chrono::seconds> time_limit;
    unsigned threads{0};  ///< 0: all cores
    Existing existing{Existing::keep};
};

/// The command line of mees_evaluate.
struct EvaluateOptions {
    std::filesystem::path file;
    std::filesystem::path out;    ///< empty: NAME.evaluated.h5 next to the map
    std::filesystem::path model;  ///< empty: the one that the map carries
    bool allow_command{false};    ///< that the map names
    std::int32_t episodes{30};
    bool independent{false};              ///< each elite has initial states of its own
    std::vector<std::string> overrides;   ///< "domain.key=value": other conditions than the run's
    std::optional<std::string> variants;  ///< "friction=0.5..1.5"
    std::int64_t variant_count{32};
    std::int64_t variant_episodes{1};  ///< of each elite in each variant
    std::optional<std::int64_t> seed;  ///< of the initial states and variants; empty: the run's
    unsigned threads{0};               ///< 0: all cores
    Existing existing{Existing::keep};
};

/// The command line of mees_refine.
struct RefineOptions {
    std::filesystem::path file;
    std::string cells;  ///< as given: "empty", "12,407", ...
    std::filesystem::path out;
    std::filesystem::path model;  ///< empty: the one that the map carries
    bool allow_command{false};    ///< that the map names
    RefinementSettings settings;
    std::int64_t population{256};
    std::optional<double> sigma;  ///< empty: the run's, like the next two
    std::optional<double> learning_rate;
    std::optional<std::int64_t> episodes;  ///< that measure a controller
    std::optional<std::int64_t> seed;      ///< empty: the run's
    std::int64_t save_every{300};          ///< seconds
    std::optional<std::chrono::seconds> time_limit;
    bool dry_run{false};
    unsigned threads{0};  ///< 0: all cores
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
[[nodiscard]] Parsed<NavigateOptions> parse_navigate_options(int argc, char const* const* argv);
[[nodiscard]] Parsed<EvaluateOptions> parse_evaluate_options(int argc, char const* const* argv);
[[nodiscard]] Parsed<RefineOptions> parse_refine_options(int argc, char const* const* argv);
[[nodiscard]] Parsed<ReplayOptions> parse_replay_options(int argc, char const* const* argv);

}  // namespace mees

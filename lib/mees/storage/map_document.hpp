#pragma once

#include "mees/algorithms/state.hpp"
#include "mees/policy/network.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace mees {

/// Version of the map file. Readers accept their own major version; a greater minor version only
/// adds to it.
struct FormatVersion {
    std::int64_t major{0};
    std::int64_t minor{0};
    friend bool operator==(FormatVersion const&, FormatVersion const&) = default;
};
inline constexpr FormatVersion map_format_version{1, 0};

/// Which run a map belongs to, and what it was made with.
struct RunInfo {
    std::string mees_version;
    std::string git_commit;
    std::string created;  ///< when the file was written; set by the writer
    std::string mujoco_version;
    std::string model_sha256;
    std::string domain;
    std::string algorithm;
    std::int64_t seed{0};
    double wall_seconds{0};  ///< summed over restarts
    std::int64_t restarts{0};
    std::string config;  ///< the effective configuration, TOML
};

/// What a generation cost. The only thing stored that depends on clock, host or ranks.
struct GenerationTiming {
    double seconds{0};
    std::int32_t workers{0};  ///< ranks or threads that evaluated it
};

/// Everything a map file holds: a snapshot of a search between two tells. Copying costs pointers.
struct MapDocument {
    RunInfo run;
    std::vector<std::string> bc_names;
    NetworkShape network;
    double qd_offset{0};
    State state;
    std::vector<GenerationTiming> timing;  ///< a row per row of state.history
};

}  // namespace mees

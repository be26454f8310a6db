#pragma once

#include "mees/benchmark/measure.hpp"
#include "mees/cluster/runtime.hpp"
#include "mees/core/atomic_file.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace mees::bench {

struct Options {
    std::vector<std::string> groups;  ///< what to measure
    bool quick{false};                ///< smaller sizes, fewer repeats
    std::filesystem::path json;
    Existing existing{Existing::keep};  ///< of json
    std::filesystem::path folder;       ///< for temporary files
    std::vector<int> ranks{16, 64};     ///< for `protocol` without a launcher
    double seconds{0.3};                ///< mean of the episodes of `protocol`
    std::string launcher;               ///< command that starts ranks, without their number
    std::filesystem::path self;         ///< this program; mees_master is next to it
};

// Measurements of a single process.
void measure_episodes(Table& table, Options const& options);
void measure_gradient(Table& table, Options const& options);
void measure_novelty(Table& table, Options const& options);
void measure_cvt(Table& table, Options const& options);
void measure_update(Table& table, Options const& options);
void measure_runs(Table& table, Options const& options);
void measure_process(Table& table, Options const& options);
void measure_checkpoint(Table& table, Options const& options);

/// The environment of `measure_process`: this program, when it is started with that argument.
inline constexpr char const* server_argument = "--serve-environment";
[[nodiscard]] int serve_environment();

// Measurements of several ranks. Collective; only rank 0's table is filled.
void measure_protocol(ClusterRuntime& runtime, Table& table, Options const& options);
void measure_memory(ClusterRuntime& runtime, Table& table, Options const& options);
void measure_startup(ClusterRuntime& runtime, Table& table, Options const& options);

}  // namespace mees::bench

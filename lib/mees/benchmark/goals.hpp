#pragma once

#include "mees/benchmark/measure.hpp"

/// The goals of all rows; docs/performance.md lists them with what the rows measure.
namespace mees::bench::goals {

// Control steps of an episode over bare mj_step.
inline constexpr Target ant{Goal::at_least, 1.07};
inline constexpr Target ant_maze{Goal::at_least, 1.0};
inline constexpr Target humanoid{Goal::at_least, 0.97};
inline constexpr Target falling_humanoid{Goal::at_least, 0.95};

inline constexpr Target update_seconds{Goal::at_most, 0.3};
inline constexpr Target growth{Goal::at_most, 1.1};
inline constexpr Target complete_run{Goal::at_least, 1.05};

inline constexpr Target gradient{Goal::at_most, 1.2};
inline constexpr Target gradient_on_two_threads{Goal::at_most, 0.65};
inline constexpr Target gradient_of_a_tenth{Goal::at_most, 0.12};

inline constexpr Target novelty_of_1000_ms{Goal::at_most, 10};
inline constexpr Target novelty_of_100000_ms{Goal::at_most, 40};

inline constexpr Target cvt_of_10000_seconds{Goal::at_most, 2};
inline constexpr Target cvt_of_100000_seconds{Goal::at_most, 30};

inline constexpr Target process_overhead_us{Goal::at_most, 10};

// Scheduling bound over time. Episodes are short that take less than `short_seconds`.
inline constexpr double short_seconds = 0.1;
inline constexpr Target even_episodes{Goal::at_least, 0.95};
inline constexpr Target uneven_episodes{Goal::at_least, 0.93};
inline constexpr Target short_episodes{Goal::at_least, 0.6};

inline constexpr Target worker_megabytes{Goal::at_most, 60};
inline constexpr Target startup_seconds{Goal::at_most, 6};

// Percent of the cadence, of a complete map's time and of its bytes; bytes over raw data.
inline constexpr Target checkpoint_stall{Goal::at_most, 1};
inline constexpr Target checkpoint_size{Goal::at_most, 1.02};
inline constexpr Target change_time{Goal::at_most, 5};
inline constexpr Target change_size{Goal::at_most, 5};

}  // namespace mees::bench::goals

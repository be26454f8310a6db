#pragma once

#include "mees/core/ids.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace mees {

/// The use of a stream of random numbers. The values affect every result: never renumber them.
enum class Purpose : std::uint32_t {
    initial_parameters = 1,
    noise_offset = 2,
    cell_sampling = 3,
    mode = 4,
    training_reset = 5,
    training_action = 6,
    evaluation_reset = 7,
    observation_sample = 8,
    evaluation_sample = 9,
    evaluation_action = 10,
    noise_table = 11,
    parent_choice = 12,
    variation = 13,
    centroids = 14,
    adaptation_trial = 15,
    adaptation_score = 16,
    replay = 17,
    archive_sample = 18,
    chain_link = 19,
    chain_elite = 20,
    test = 100,
};

/// A sequence of random numbers, identified by (seed, purpose, generation, index).
///
/// Philox4x32-10 in counter mode: equal identifiers give equal sequences on every rank and thread,
/// different ones give independent sequences, and there is no state to save. The identifier is part
/// of the key and counter, so indices and generations up to 2^32 never collide within a purpose.
class Stream {
  public:
    Stream(std::uint64_t seed, Purpose purpose, Generation generation, std::int64_t index = 0);

    [[nodiscard]] std::uint32_t next();
    /// Uniform in [0, 1), 53 bits.
    [[nodiscard]] double uniform();
    [[nodiscard]] double uniform(double lower, double upper);
    /// Uniform in {0, ..., count - 1}, without bias.
    [[nodiscard]] std::int64_t below(std::int64_t count);
    /// Standard normal (Box-Muller).
    [[nodiscard]] double normal();
    void fill_normal(std::span<float> values);

  private:
    std::array<std::uint32_t, 2> key_;
    std::array<std::uint32_t, 4> counter_;
    std::array<std::uint32_t, 4> block_{};
    unsigned used_{4};
    double spare_normal_{0};
    bool has_spare_{false};
};

/// One block of Philox4x32-10, Random123's `philox4x32`.
[[nodiscard]] std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key);

}  // namespace mees

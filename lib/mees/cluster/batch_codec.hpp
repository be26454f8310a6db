#pragma once

#include "mees/evaluation/batch.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mees {

/// How many bytes `encode_batch` writes.
[[nodiscard]] std::int64_t encoded_size(Batch const& batch);

/// Writes a batch as raw arrays; a controller that several groups share is written once.
void encode_batch(Batch const& batch, std::span<std::byte> bytes);

/// A batch read from memory that it does not own. Controllers are copied out of it one group at a
/// time, so that a batch of thousands of controllers costs a worker the memory of two.
class EncodedBatch {
  public:
    explicit EncodedBatch(std::span<std::byte const> bytes);

    /// As `episode_of`; valid until the next call.
    [[nodiscard]] EpisodeSpec episode(std::int64_t index);
    [[nodiscard]] std::int64_t episodes() const { return batch_.episodes(); }

  private:
    struct RawController {
        std::span<float const> parameters;
        std::span<double const> mean;
        std::span<double const> std;
    };
    struct Controllers {
        std::int64_t centre;
        std::int64_t toward;
    };

    [[nodiscard]] ControllerPtr copy_of(std::int64_t controller) const;

    Batch batch_;
    std::vector<RawController> raw_;
    std::vector<Controllers> wanted_;  ///< by group
    std::int64_t loaded_group_{-1};
};

}  // namespace mees

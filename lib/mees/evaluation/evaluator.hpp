#pragma once

#include "mees/core/stop.hpp"
#include "mees/evaluation/batch.hpp"
#include "mees/evaluation/result.hpp"

#include <Eigen/Core>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mees {

/// Where one worker's (a rank's or a thread's) time went since the start, in seconds.
struct WorkerTiming {
    std::string name;
    double physics{0};
    double policy{0};
    double waiting{0};
    std::int64_t episodes{0};
    std::int64_t steps{0};
};

/// Something that can run episodes and sum noise: this process's threads, or 512 ranks.
///
/// Guarantees: results depend on the arguments only, to the bit, never on how many workers there
/// are or which of them was faster.
class Evaluator {
  public:
    Evaluator() = default;
    Evaluator(Evaluator const&) = delete;
    Evaluator& operator=(Evaluator const&) = delete;
    virtual ~Evaluator() = default;

    /// Runs every episode of the batch; nothing if a stop was requested meanwhile (at once, also in
    /// the middle of long episodes).
    [[nodiscard]] virtual std::optional<BatchResult> evaluate(Batch const& batch,
                                                              StopToken& stop) = 0;

    /// sum_i weights[i] * noise[offsets[i] .. offsets[i] + size), in index order.
    [[nodiscard]] virtual Eigen::VectorXf weighted_noise(std::span<NoiseOffset const> offsets,
                                                         std::span<float const> weights,
                                                         std::int64_t size) = 0;

    /// The shared noise table, as this process sees it.
    [[nodiscard]] virtual std::span<float const> noise() const = 0;

    [[nodiscard]] virtual std::vector<WorkerTiming> timing() = 0;
};

}  // namespace mees

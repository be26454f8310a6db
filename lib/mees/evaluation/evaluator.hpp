#pragma once

#include "mees/core/stop.hpp"
#include "mees/evaluation/batch.hpp"
#include "mees/evaluation/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mees {

/// Where the time of one worker (a rank or a thread) went since the start, in seconds.
struct WorkerTiming {
    std::string name;
    double physics{0};
    double policy{0};
    double waiting{0};
    std::int64_t episodes{0};
    std::int64_t steps{0};
};

/// Runs episodes: on threads of this process, or on 512 ranks.
///
/// Guarantees: results depend on the batch only, bit for bit, never on the number of workers or on
/// which of them was faster.
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

    /// How many episodes run at the same time.
    [[nodiscard]] virtual std::int32_t workers() const = 0;

    /// One entry per worker.
    [[nodiscard]] virtual std::vector<WorkerTiming> timing() const = 0;
};

}  // namespace mees

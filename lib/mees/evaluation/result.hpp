#pragma once

#include "mees/policy/normaliser.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace mees {

/// How an episode ended.
enum class EpisodeEnd : std::uint8_t {
    completed,   ///< ran its full length
    terminated,  ///< the domain ended it (a fall)
    diverged,    ///< a number stopped being finite; fitness and BC are those before
};

/// The result of one episode, except its behaviour characterisation (BC).
struct EpisodeOutcome {
    double fitness{0};
    std::int32_t steps{0};
    EpisodeEnd end{EpisodeEnd::completed};
    /// The part of `fitness` that is not optimised in training; 0 in other episodes.
    double left_out{0};

    /// What training optimises.
    [[nodiscard]] double objective() const { return fitness - left_out; }

    friend bool operator==(EpisodeOutcome const&, EpisodeOutcome const&) = default;
};

/// Observations of a sampled episode, and its index in the batch.
struct SampledObservations {
    std::int64_t episode{0};
    ObservationMoments moments;
};

/// Outcomes of a batch by episode index.
struct BatchResult {
    BatchResult() = default;
    BatchResult(std::int64_t episodes, std::int64_t bc_size)
        : bc_size{bc_size},
          outcomes(static_cast<std::size_t>(episodes)),
          bcs(static_cast<std::size_t>(episodes * bc_size))
    {
    }

    [[nodiscard]] std::span<double const> bc(std::int64_t episode) const
    {
        return std::span{bcs}.subspan(static_cast<std::size_t>(episode * bc_size),
                                      static_cast<std::size_t>(bc_size));
    }
    [[nodiscard]] std::span<double> bc(std::int64_t episode)
    {
        return std::span{bcs}.subspan(static_cast<std::size_t>(episode * bc_size),
                                      static_cast<std::size_t>(bc_size));
    }

    std::int64_t bc_size{0};
    std::vector<EpisodeOutcome> outcomes;
    std::vector<double> bcs;                        ///< episodes x bc_size
    std::vector<SampledObservations> observations;  ///< ascending by episode
};

}  // namespace mees

#pragma once

#include "mees/core/ids.hpp"
#include "mees/es/cma.hpp"
#include "mees/es/optimiser.hpp"
#include "mees/policy/controller.hpp"
#include "mees/policy/normaliser.hpp"
#include "mees/qd/elite_map.hpp"
#include "mees/qd/novelty_archive.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mees {

/// What a step optimises. The values are stored in /history/mode.
enum class Mode : std::int8_t { exploit = 0, explore = 1, other = 2 };

/// One row of the history: what a generation produced, and the state of the search after it.
struct GenerationRecord {
    Generation generation;
    Mode mode{Mode::other};
    std::optional<CellId> parent_cell;
    double fitness{0};  ///< of the evaluated controller (the best of them where there are several)
    double fitness_std{0};
    double novelty{0};
    std::optional<CellId> cell;  ///< where that controller's BC lies
    std::int64_t inserted{0};    ///< controllers of this generation that entered the map
    double best{0};
    std::int64_t coverage{0};  ///< filled cells
    double qd_score{0};
    double weight{0};          ///< NSRA-ES: weight of fitness against novelty
    std::int64_t episodes{0};  ///< since the start, like the next two
    std::int64_t steps{0};
    std::int64_t diverged{0};
};

/// A controller that is being optimised, and everything its next step depends on. ME-ES has one,
/// the NS-ES family one per parent, MEMES and CMA-MAE one per emitter, CMA-MEGA one, GA, NS and
/// NSLC one per parent of the next generation, ME-GA none.
struct Emitter {
    Eigen::VectorXf theta;
    ControllerPtr before;  ///< earlier links of its chain; null: none
    OptimiserState optimiser;
    CmaState cma;  ///< of CMA-MAE with sep-CMA-ES, of CMA-MEGA's coefficients; else empty
    Mode mode{Mode::other};
    std::optional<CellId> parent_cell;  ///< the cell it was copied from
    std::int64_t steps{0};              ///< since it was copied
    std::int64_t stagnation{0};         ///< generations since it last entered the map
    double novelty{0};                  ///< when last evaluated
    std::vector<double> bc;             ///< when last evaluated; empty before
    std::optional<std::int64_t> archive_entry;
};

/// A controller that is evaluated in the same batch as the emitters' and offered to the map.
struct Candidate {
    ControllerPtr controller;
    std::optional<CellId> parent_cell;
    std::shared_ptr<OptimiserState const> optimiser;  ///< null: none is kept
};

/// NSRA-ES's adaptive weight.
struct AdaptiveWeight {
    double weight{0.5};
    double best{0};
    std::int64_t generations_without{0};
};

/// Everything a search has learned: together with the settings, all that its next batch depends on.
/// Saved and restored together; holds nothing that depends on ranks, threads or the clock.
struct State {
    State(EliteMap map, NoveltyArchive archive, ObservationMoments observations)
        : map{std::move(map)}, archive{std::move(archive)}, observations{std::move(observations)}
    {
    }

    Generation generation;  ///< of the emitters' controllers; evaluated or not
    bool evaluated{false};  ///< whether those of `generation` have been evaluated and recorded
    EliteMap map;
    NoveltyArchive archive;
    /// Of the archive's entries; empty where the search does not use it.
    std::vector<double> archive_fitness;
    ObservationMoments observations;
    std::vector<Emitter> emitters;
    /// To be evaluated with those of `generation`: in generation 0 the elites that the run starts
    /// from, later the offspring that are to be confirmed.
    std::vector<Candidate> candidates;
    /// CMA-MAE's acceptance thresholds, of the cells that have accepted something.
    std::map<CellId, double> thresholds;
    /// The one emitter that made `generation`, where it was one of several (NS-ES family).
    std::optional<std::int64_t> active;
    AdaptiveWeight nsra;
    std::int64_t episodes{0};
    std::int64_t steps{0};
    std::int64_t diverged{0};
    std::vector<GenerationRecord> history;
};

}  // namespace mees

#pragma once

#include "mees/algorithms/cell_refiner.hpp"
#include "mees/algorithms/state.hpp"
#include "mees/policy/network.hpp"
#include "mees/sim/task.hpp"

#include <cstdint>
#include <memory>
#include <optional>
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
inline constexpr FormatVersion map_format_version{1, 1};

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
    std::string config;      ///< the effective configuration, TOML
    std::string start_from;  ///< the map whose elites started the run, and its SHA-256; "": none
};

/// The cost of a generation: the only stored data that depend on clock, host or ranks.
struct GenerationTiming {
    double seconds{0};
    std::int32_t workers{0};  ///< ranks or threads that evaluated it
    double physics{0};        ///< seconds, summed over the workers, like the next two
    double policy{0};
    double waiting{0};
    double update{0};  ///< seconds of the master, like the next
    double checkpoint{0};
};

/// Changed models in which the elites of a map were evaluated.
struct ModelVariants {
    std::string text;                   ///< what was varied: "friction=0.5..1.5"
    std::int64_t episodes{0};           ///< of each elite in each variant
    std::vector<std::string> variants;  ///< the words of each: "friction=0.73"
};

/// An elite's fitness over the variants of a model.
struct VariantSummary {
    double mean{0};
    double robust{0};  ///< the 5 % quantile, linear between the values next to it
    double worst{0};
};
[[nodiscard]] VariantSummary summarise_variants(std::vector<double> fitness);

/// Results of evaluating the elites of a map again.
struct Reevaluation {
    struct Row {
        CellId stored_cell;
        CellId cell;  ///< of the new behaviour
        double stored_fitness{0};
        double fitness{0};
        double fitness_std{0};
        std::vector<double> bc;
        std::vector<double> bc_std;
        bool kept{false};                     ///< the fittest of those in its new cell
        std::vector<double> variant_fitness;  ///< mean of the episodes in each variant
    };

    std::int64_t episodes{0};  ///< of each
    std::int64_t seed{0};
    std::string map_sha256;  ///< of the file they were read from; "" if unknown
    /// Where the episodes differed from the run's: "domain.key = value". RunInfo::config has them.
    std::vector<std::string> conditions;
    bool independent{false};  ///< each elite had initial states of its own
    std::vector<Row> rows;    ///< one per elite of the old map, by stored cell
    std::optional<ModelVariants> variants;
    std::vector<double>
        episode_fitness;  ///< of each episode, the mean over elites; not in the file
};

/// Where the cells of a refined map come from, and how far its refinement is.
struct Refinement {
    std::string map;         ///< path of the map that was refined
    std::string map_sha256;  ///< of that file
    std::int64_t seed{0};
    std::int64_t n_eval{0};  ///< episodes that measure a controller
    std::int64_t population{0};
    double sigma{0};
    double learning_rate{0};
    RefinementSettings settings;
    /// Where the map's episodes differ from its run's, see Reevaluation.
    std::vector<std::string> conditions;
    RefinementProgress progress;
};

/// The content of a map file: a snapshot of a search between two tells. Copying copies pointers.
struct MapDocument {
    RunInfo run;
    std::vector<std::string> bc_names;
    NetworkShape network;
    double qd_offset{0};
    State state;
    std::vector<GenerationTiming> timing;          ///< a row per row of state.history
    std::optional<Reevaluation> reevaluation;      ///< of a map that mees_evaluate has written
    std::shared_ptr<DomainDocument const> domain;  ///< null if the domain is not data
    std::optional<ProgramStatement> program{};     ///< of an environment in another process
    std::optional<Refinement> refinement{};        ///< of a map that mees_refine has written
};

}  // namespace mees

#pragma once

#include "mees/config/choices.hpp"
#include "mees/config/objective.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mees {

// Every default here is the paper's (Colas et al., GECCO 2020) unless its comment says otherwise.

struct RunSettings {
    std::int64_t seed{1};
    std::int64_t generations{500};
    std::string start_from;          ///< a map; empty: none
    std::string start_cells{"all"};  ///< all, best, or ids of cells separated by commas
    friend bool operator==(RunSettings const&, RunSettings const&) = default;
};

/// One term of the reward of a user-defined domain.
struct RewardTermSettings {
    RewardKind kind{RewardKind::forward_velocity};
    std::string body;           ///< empty: the model's first
    std::string site;           ///< distance: to this site,
    std::vector<double> point;  ///< or to this point (x, y or x, y, z)
    double weight{1};
    double target{1};  ///< target_speed: in m/s
    friend bool operator==(RewardTermSettings const&, RewardTermSettings const&) = default;
};

/// Description of a user-defined domain (`domain.name = "mjcf"`).
struct MjcfSettings {
    std::string model;
    std::int64_t frame_skip{5};
    ActionMapping action{ActionMapping::automatic};
    std::string start;  ///< a keyframe; empty: qpos0
    double reset_noise{0.1};
    std::vector<ObservationPart> observation{ObservationPart::qpos, ObservationPart::qvel};
    std::int64_t observation_skip{0};  ///< leading qpos entries left out
    std::string observation_body;      ///< of subtree_com and orientation; empty: the first
    std::vector<RewardTermSettings> reward;
    std::string height_body;
    double height_lower{-1e9};
    double height_upper{1e9};
    std::string tilt_body;
    double tilt_upper{180};  ///< degrees
    std::vector<std::string> end_geoms;
    std::string range_body;
    double range_upper{1e9};
    BehaviourKind bc{BehaviourKind::final_position};
    std::vector<BehaviourKind> bc_extra;
    std::vector<std::string> bc_names;  ///< empty: those of the kinds
    std::string bc_body;
    std::vector<std::string> bc_geoms;
    std::string floor_geom{"floor"};
    friend bool operator==(MjcfSettings const&, MjcfSettings const&) = default;
};

/// An environment in another process (`domain.name = "process"`).
struct ProcessSettings {
    std::vector<std::string> command;  ///< the program and its arguments
    double step_timeout_seconds{60};
    std::int64_t restarts{1};  ///< per episode
    std::int64_t batch{1};     ///< episodes that a process runs at once
    friend bool operator==(ProcessSettings const&, ProcessSettings const&) = default;
};

struct DomainSettings {
    std::string name{"ant"};
    std::int64_t episode_steps{0};  ///< 0: the domain's own
    std::vector<std::string> damage;
    std::vector<std::string> training_without;  ///< names of reward terms
    bool contact_forces{false};
    bool contact_costs{true};  ///< false: contact forces count as 0, as under MuJoCo 2.0
    Integrator integrator{
        Integrator::model};  ///< model: the model's own (the paper's domains: rk4)
    bool terminate{true};
    double sleep_seconds{0.3};
    SleepSpread sleep_spread{SleepSpread::uniform};  ///< uniform (+-50 %) or lognormal (1 : 30)
    MjcfSettings mjcf;
    ProcessSettings process;
    friend bool operator==(DomainSettings const&, DomainSettings const&) = default;
};

struct PolicySettings {
    std::vector<std::int64_t> hidden{256, 256};
    PolicyInit init{PolicyInit::normc};  ///< the paper's algorithm 1; its text says Xavier
    double hidden_norm{0.01};            ///< the authors' code; the paper gives none
    OutputActivation output{OutputActivation::tanh};
    double action_noise{0.01};
    bool normalise_observations{true};
    double observation_fraction{0.01};
    double observation_clip{0};  ///< 0: inputs are not clipped after normalising
    friend bool operator==(PolicySettings const&, PolicySettings const&) = default;
};

struct NoiseSettings {
    std::int64_t table_size{250'000'000};
    std::int64_t seed{42};
    friend bool operator==(NoiseSettings const&, NoiseSettings const&) = default;
};

struct EsSettings {
    std::int64_t population{10'000};
    double sigma{0.02};
    double learning_rate{0.01};
    double l2{0.005};
    OptimiserKind optimizer{OptimiserKind::adam};
    double clipup_speed{0.02};
    OptimiserMemory optimizer_state{OptimiserMemory::reset};
    SharedSeeds seeds{SharedSeeds::own};
    bool paired_seeds{false};  ///< another spelling of seeds = pair; the reader makes the two agree
    bool divide_by_sigma{false};
    Utility utility{Utility::ranks};
    double direction_fraction{1};
    std::int64_t episodes_per_offspring{1};
    std::int64_t steps_per_generation{0};  ///< 0: one population, whatever its steps
    double sigma_decay{1};
    double sigma_limit{0};
    double learning_rate_decay{1};
    double learning_rate_limit{0};
    friend bool operator==(EsSettings const&, EsSettings const&) = default;
};

struct MapSettings {
    static constexpr double most_cells{1e12};  ///< of a grid

    MapType type{MapType::grid};
    std::vector<std::int64_t> bins;  ///< empty: the domain's
    std::vector<double> lower;       ///< empty: the domain's
    std::vector<double> upper;       ///< empty: the domain's
    double qd_offset{0};
    double memory_limit{0};  ///< megabytes; 0: none
    std::int64_t cvt_cells{1000};
    std::int64_t cvt_samples{50'000};
    std::int64_t cvt_seed{1};
    std::string cvt_file;
    /// In bytes; empty: none.
    [[nodiscard]] std::optional<std::int64_t> memory_limit_bytes() const
    {
        return memory_limit > 0 ? std::optional{static_cast<std::int64_t>(memory_limit * 1e6)}
                                : std::nullopt;
    }
    friend bool operator==(MapSettings const&, MapSettings const&) = default;
};

/// The number of cells of a grid: the product of its bins. Not an integer, which might overflow.
[[nodiscard]] inline double grid_cells(std::vector<std::int64_t> const& bins)
{
    double cells = 1;
    for (auto const count : bins) {
        cells *= static_cast<double>(count);
    }
    return cells;
}

struct AlgorithmSettings {
    std::string name{"me-es"};
    SearchMode mode{SearchMode::explore_exploit};
    ModeSchedule mode_schedule{ModeSchedule::alternate};
    double explore_probability{0.5};
    std::int64_t n_optim_gens{10};
    std::int64_t n_eval{30};
    std::int64_t confirm_offspring{0};
    double confirm_margin{0};  ///< standard errors below the mean
    std::int64_t novelty_k{10};
    NoveltyMetric novelty_metric{NoveltyMetric::euclidean};
    ExploreCells explore_cells{ExploreCells::most_novel};
    ExploitCells exploit_cells{ExploitCells::best_or_recent};
    std::vector<Objective> objectives;  ///< empty: one objective, that of the mode
    double kernel_width{0.1};           ///< max-ent, in units of the map's bounds

    std::int64_t chain_links{1};    ///< me-es, memes: at most; this and the next three
    std::int64_t chain_steps{100};  ///< control steps of each link but the last
    double chain_append{0.5};
    ChainStart chain_start{ChainStart::copy};

    std::int64_t children{334};
    ParentCells parent_cells{ParentCells::per_generation};
    Variation variation{Variation::gaussian};
    double line_sigma{0.2};

    std::int64_t truncation{20};        ///< ga, ns, nslc; this and the next two: Such et al. 2017
    std::int64_t elite_candidates{10};  ///< ga
    std::int64_t elite_episodes{30};    ///< ga
    double archive_probability{0.01};   ///< ns, nslc

    std::int64_t parents{5};
    ParentChoice parent_choice{ParentChoice::novelty};
    double nsra_weight{0.5};
    double nsra_step{0.05};
    double nsra_min_improvement{0.1};
    std::int64_t nsra_patience{20};

    std::int64_t starts{1};               ///< es
    std::int64_t start_generations{100};  ///< es: after which half of the starts end

    std::int64_t emitters{8};           ///< memes
    double explore_share{0.5};          ///< memes
    std::int64_t emitter_patience{10};  ///< memes: generations without an insertion
    std::int64_t novelty_window{0};     ///< memes; 0: all

    EmitterOptimiser emitter_optimizer{EmitterOptimiser::openai_es};  ///< cma-mae, cma-me
    double coefficient_sigma{1};                                      ///< cma-mega
    double threshold_rate{0.001};  ///< cma-mae: this and the next
    double threshold_floor{0};     ///< unless it is set: map.qd_offset
    friend bool operator==(AlgorithmSettings const&, AlgorithmSettings const&) = default;
};

struct CheckpointSettings {
    double every_seconds{300};
    std::int64_t every_generations{0};
    std::int64_t keep{0};  ///< also keep checkpoints/gen_N.h5 every this many generations; 0: none
    double changes_above_megabytes{64};  ///< of larger maps only the changes are saved; 0: never
    friend bool operator==(CheckpointSettings const&, CheckpointSettings const&) = default;
};

struct ClusterSettings {
    double silence_seconds{60};  ///< a rank without a sign of life for this long ends the run
    friend bool operator==(ClusterSettings const&, ClusterSettings const&) = default;
};

struct LogSettings {
    log::Level level{log::Level::info};
    friend bool operator==(LogSettings const&, LogSettings const&) = default;
};

/// The complete configuration of a run. What `read_settings` returns is valid in itself: only what
/// needs the domain (dimensions of the map, parameters of the network, names in the model) is left
/// to check.
struct Settings {
    RunSettings run;
    DomainSettings domain;
    PolicySettings policy;
    NoiseSettings noise;
    EsSettings es;
    MapSettings map;
    AlgorithmSettings algorithm;
    CheckpointSettings checkpoint;
    ClusterSettings cluster;
    LogSettings log;
    friend bool operator==(Settings const&, Settings const&) = default;
};

}  // namespace mees

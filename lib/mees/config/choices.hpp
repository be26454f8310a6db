#pragma once

#include "mees/core/log_level.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

namespace mees {

// The settings that choose among alternatives: an enumeration each, and one table of the names that
// enumerators have in a configuration. To add an alternative, add an enumerator and its name: the
// compiler then lists the switches that must decide what it does.

/// What ME-ES optimises.
enum class SearchMode : std::uint8_t { explore, exploit, explore_exploit };

/// How explore-exploit chooses the mode of a cycle.
enum class ModeSchedule : std::uint8_t { alternate, coin };

enum class NoveltyMetric : std::uint8_t { euclidean, squared };

/// How a parent cell is drawn when exploring.
enum class ExploreCells : std::uint8_t {
    most_novel,        ///< in proportion to novelty among the five most novel (the paper's)
    most_novel_mixed,  ///< the same with 10 % of the mass spread evenly over all cells
    uniform,
};

/// How a parent cell is drawn when exploiting.
enum class ExploitCells : std::uint8_t {
    best_or_recent,   ///< p 0.5 one of the two fittest, p 0.5 of the two fittest of the last five
                      ///< updated (the paper's)
    best_or_uniform,  ///< p 0.5 the fittest, p 0.5 any
    uniform,
};

/// A component of what an ES step optimises; objective.hpp describes them.
enum class ObjectiveKind : std::uint8_t { fitness, novelty, evolvability, max_var, max_ent };

/// How often ME-GA draws a parent cell.
enum class ParentCells : std::uint8_t { per_generation, per_child };

/// How a child of ME-GA differs from its parent.
enum class Variation : std::uint8_t { gaussian, iso_line };

/// Which parent of the NS-ES family takes the next step.
enum class ParentChoice : std::uint8_t { novelty, round_robin };

/// How an emitter of CMA-MAE and CMA-ME moves.
enum class EmitterOptimiser : std::uint8_t { openai_es, sep_cma_es };

enum class OptimiserKind : std::uint8_t { adam, sgd, clipup };

/// What the optimiser of a cycle starts with.
enum class OptimiserMemory : std::uint8_t {
    reset,    ///< zeros
    inherit,  ///< the state with which the elite that the cycle starts from was found
};

/// What a new link of a chain starts from.
enum class ChainStart : std::uint8_t {
    copy,     ///< the last link of the chain that it is appended to
    elite,    ///< the last link of an elite drawn uniformly from the map
    initial,  ///< the network as the seed initialises it
};

/// Which offspring of a generation start from the same initial states.
enum class SharedSeeds : std::uint8_t { own, pair, generation };

/// How the offspring's objective values become the weights of a gradient.
enum class Utility : std::uint8_t { ranks, standardised };

/// The activation of a network's last layer.
enum class OutputActivation : std::uint8_t { tanh, linear };

/// How a network's parameters are initialised.
enum class PolicyInit : std::uint8_t { normc, xavier };

enum class MapType : std::uint8_t { grid, cvt };

enum class Integrator : std::uint8_t { model, rk4, euler, implicitfast, implicit };

/// How the durations of sleeping episodes are distributed.
enum class SleepSpread : std::uint8_t { uniform, lognormal };

/// A part of the observation of a user-defined domain.
enum class ObservationPart : std::uint8_t {
    qpos,
    qvel,
    cinert,
    cvel,
    qfrc_actuator,
    cfrc_ext,
    sensordata,
    subtree_com,
    orientation,
};

/// A term of the reward of a user-defined domain.
enum class RewardKind : std::uint8_t {
    forward_velocity,
    control_cost,
    alive,
    distance,
    heading,
    lateral_cost,
    energy_cost,
    height,
    upright,
    target_speed,
};

/// The behaviour characterisation of a user-defined domain.
enum class BehaviourKind : std::uint8_t {
    final_position,
    contact_share,
    mean_velocity,
    final_xz,
    mean_orientation,
    mean_height,
    displacement_heading,
    displacement,
};

/// How the outputs of a controller become the controls of a user-defined domain's motors.
enum class ActionMapping : std::uint8_t {
    automatic,  ///< ctrlrange unless all ranges are -1..1
    raw,        ///< as they are
    ctrlrange,  ///< -1..1 becomes the motor's control range
};

// The choices of a TaskDescription (task_description.hpp).

/// Where the numbers of a quantity come from.
enum class QuantitySource : std::uint8_t {
    qpos,
    qvel,
    action,
    cinert,
    cvel,
    cfrc_ext,
    qfrc_actuator,
    sensordata,
    power,
    position,
    orientation,
    rotation,
    angles,
    subtree_com,
    com,
    site,
    contact,
    ground_pose,
};

/// How a quantity becomes a number.
enum class MeasureKind : std::uint8_t { constant, sum, squares, rate, distance };

/// How a quantity becomes a part of the behaviour characterisation.
enum class CharacterKind : std::uint8_t { final_value, displacement, velocity, mean, relative };

/// How initial velocities are drawn.
enum class VelocityNoise : std::uint8_t { none, uniform, normal };

/// An episode's fitness, from the rewards of its control steps.
enum class FitnessRule : std::uint8_t { sum_of_rewards, last_reward };

namespace detail {

/// Whether a value of an enumeration has a name in the code: compilers print others as "(Type)3".
template <auto value>
consteval bool is_enumerator()
{
    std::string_view const function = __PRETTY_FUNCTION__;
    return function.substr(function.rfind("value = ")).find('(') == std::string_view::npos;
}

template <class Enum, std::size_t counted = 0>
consteval std::size_t enumerator_count()
{
    if constexpr (is_enumerator<static_cast<Enum>(counted)>()) {
        return enumerator_count<Enum, counted + 1>();
    }
    return counted;
}

template <class Enum>
struct Names {
    std::array<std::string_view, enumerator_count<Enum>()> names;

    template <class... Texts>
    consteval explicit Names(Texts... texts) : names{texts...}
    {
        static_assert(sizeof...(Texts) == enumerator_count<Enum>(), "a name for each enumerator");
    }
};

/// The names of every choice, in the order of its enumerators.
inline constexpr std::tuple choices{
    Names<SearchMode>{"explore", "exploit", "explore-exploit"},
    Names<ModeSchedule>{"alternate", "coin"},
    Names<NoveltyMetric>{"euclidean", "squared"},
    Names<ExploreCells>{"most-novel", "most-novel-mixed", "uniform"},
    Names<ExploitCells>{"best-or-recent", "best-or-uniform", "uniform"},
    Names<ObjectiveKind>{"fitness", "novelty", "evolvability", "max-var", "max-ent"},
    Names<ParentCells>{"per-generation", "per-child"},
    Names<Variation>{"gaussian", "iso-line"},
    Names<ParentChoice>{"novelty", "round-robin"},
    Names<EmitterOptimiser>{"openai-es", "sep-cma-es"},
    Names<OptimiserKind>{"adam", "sgd", "clipup"},
    Names<OptimiserMemory>{"reset", "inherit"},
    Names<ChainStart>{"copy", "elite", "initial"},
    Names<SharedSeeds>{"own", "pair", "generation"},
    Names<Utility>{"ranks", "standardised"},
    Names<OutputActivation>{"tanh", "linear"},
    Names<PolicyInit>{"normc", "xavier"},
    Names<MapType>{"grid", "cvt"},
    Names<Integrator>{"model", "rk4", "euler", "implicitfast", "implicit"},
    Names<SleepSpread>{"uniform", "lognormal"},
    Names<ObservationPart>{"qpos", "qvel", "cinert", "cvel", "qfrc_actuator", "cfrc_ext",
                           "sensordata", "subtree_com", "orientation"},
    Names<RewardKind>{"forward_velocity", "control_cost", "alive", "distance", "heading",
                      "lateral_cost", "energy_cost", "height", "upright", "target_speed"},
    Names<BehaviourKind>{"final_position", "contact_share", "mean_velocity", "final_xz",
                         "mean_orientation", "mean_height", "displacement_heading", "displacement"},
    Names<ActionMapping>{"auto", "raw", "ctrlrange"},
    Names<QuantitySource>{"qpos", "qvel", "action", "cinert", "cvel", "cfrc_ext", "qfrc_actuator",
                          "sensordata", "power", "position", "orientation", "rotation", "angles",
                          "subtree_com", "com", "site", "contact", "ground_pose"},
    Names<MeasureKind>{"constant", "sum", "squares", "rate", "distance"},
    Names<CharacterKind>{"final", "displacement", "velocity", "mean", "relative"},
    Names<VelocityNoise>{"none", "uniform", "normal"},
    Names<FitnessRule>{"sum", "last"},
    Names<log::Level>{"debug", "info", "warning", "error", "off"},
};

}  // namespace detail

template <class Enum>
inline constexpr auto& choice_names = std::get<detail::Names<Enum>>(detail::choices).names;

template <class Enum>
[[nodiscard]] constexpr std::string_view name_of(Enum choice)
{
    return choice_names<Enum>[static_cast<std::size_t>(choice)];
}

/// Nothing if no enumerator has that name.
template <class Enum>
[[nodiscard]] constexpr std::optional<Enum> choice_named(std::string_view name)
{
    auto const& names = choice_names<Enum>;
    auto const found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::nullopt
                                : std::optional{static_cast<Enum>(found - names.begin())};
}

}  // namespace mees

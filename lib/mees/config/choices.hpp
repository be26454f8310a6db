#pragma once

#include "mees/core/log_level.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mees {

// The settings that choose among alternatives: an enumeration each, followed by the table of the
// names that its enumerators have in a configuration. To add an alternative, add an enumerator and
// its name: the compiler then lists the switches that must decide what it does.

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

template <class Enum, class... Names>
consteval auto names(Names... names)
{
    static_assert(sizeof...(Names) == enumerator_count<Enum>(), "a name for each enumerator");
    return std::array{std::string_view{names}...};
}

}  // namespace detail

/// The names of an enumeration's enumerators, in their order.
template <class Enum>
extern std::array<std::string_view, 0> const choice_names;

/// What ME-ES optimises.
enum class SearchMode : std::uint8_t { explore, exploit, explore_exploit };
template <>
inline constexpr auto choice_names<SearchMode> = detail::names<SearchMode>("explore", "exploit",
                                                                           "explore-exploit");

/// How explore-exploit chooses the mode of a cycle.
enum class ModeSchedule : std::uint8_t { alternate, coin };
template <>
inline constexpr auto choice_names<ModeSchedule> = detail::names<ModeSchedule>("alternate", "coin");

enum class NoveltyMetric : std::uint8_t { euclidean, squared };
template <>
inline constexpr auto choice_names<NoveltyMetric> = detail::names<NoveltyMetric>("euclidean",
                                                                                 "squared");

/// How a parent cell is drawn when exploring.
enum class ExploreCells : std::uint8_t {
    most_novel,        ///< in proportion to novelty among the five most novel (the paper's)
    most_novel_mixed,  ///< the same with 10 % of the mass spread evenly over all cells
    uniform,
};
template <>
inline constexpr auto choice_names<ExploreCells> = detail::names<ExploreCells>("most-novel",
                                                                               "most-novel-mixed",
                                                                               "uniform");

/// How a parent cell is drawn when exploiting.
enum class ExploitCells : std::uint8_t {
    best_or_recent,   ///< p 0.5 one of the two fittest, p 0.5 of the two fittest of the last five
                      ///< updated (the paper's)
    best_or_uniform,  ///< p 0.5 the fittest, p 0.5 any
    uniform,
};
template <>
inline constexpr auto choice_names<ExploitCells> = detail::names<ExploitCells>("best-or-recent",
                                                                               "best-or-uniform",
                                                                               "uniform");

/// What one of several candidates of ME-ES optimises.
enum class ObjectiveKind : std::uint8_t { fitness, novelty, evolvability };
template <>
inline constexpr auto choice_names<ObjectiveKind> = detail::names<ObjectiveKind>("fitness",
                                                                                 "novelty",
                                                                                 "evolvability");

/// How often ME-GA draws a parent cell.
enum class ParentCells : std::uint8_t { per_generation, per_child };
template <>
inline constexpr auto choice_names<ParentCells> = detail::names<ParentCells>("per-generation",
                                                                             "per-child");

/// How a child of ME-GA differs from its parent.
enum class Variation : std::uint8_t { gaussian, iso_line };
template <>
inline constexpr auto choice_names<Variation> = detail::names<Variation>("gaussian", "iso-line");

/// Which parent of the NS-ES family takes the next step.
enum class ParentChoice : std::uint8_t { novelty, round_robin };
template <>
inline constexpr auto choice_names<ParentChoice> = detail::names<ParentChoice>("novelty",
                                                                               "round-robin");

enum class OptimiserKind : std::uint8_t { adam, sgd };
template <>
inline constexpr auto choice_names<OptimiserKind> = detail::names<OptimiserKind>("adam", "sgd");

/// How a network's parameters are initialised.
enum class PolicyInit : std::uint8_t { normc, xavier };
template <>
inline constexpr auto choice_names<PolicyInit> = detail::names<PolicyInit>("normc", "xavier");

enum class MapType : std::uint8_t { grid, cvt };
template <>
inline constexpr auto choice_names<MapType> = detail::names<MapType>("grid", "cvt");

enum class Integrator : std::uint8_t { model, rk4, euler, implicitfast };
template <>
inline constexpr auto choice_names<Integrator> = detail::names<Integrator>("model", "rk4", "euler",
                                                                           "implicitfast");

/// How the durations of sleeping episodes are distributed.
enum class SleepSpread : std::uint8_t { uniform, lognormal };
template <>
inline constexpr auto choice_names<SleepSpread> = detail::names<SleepSpread>("uniform",
                                                                             "lognormal");

/// A part of the observation of a user-defined domain.
enum class ObservationPart : std::uint8_t { qpos, qvel, cinert, cvel, qfrc_actuator, cfrc_ext };
template <>
inline constexpr auto choice_names<ObservationPart> =
    detail::names<ObservationPart>("qpos", "qvel", "cinert", "cvel", "qfrc_actuator", "cfrc_ext");

/// A term of the reward of a user-defined domain.
enum class RewardKind : std::uint8_t { forward_velocity, control_cost, alive, distance };
template <>
inline constexpr auto choice_names<RewardKind> = detail::names<RewardKind>("forward_velocity",
                                                                           "control_cost", "alive",
                                                                           "distance");

/// The behaviour characterisation of a user-defined domain.
enum class BehaviourKind : std::uint8_t { final_position, contact_share, mean_velocity };
template <>
inline constexpr auto choice_names<BehaviourKind> = detail::names<BehaviourKind>("final_position",
                                                                                 "contact_share",
                                                                                 "mean_velocity");

template <>
inline constexpr auto choice_names<log::Level> = detail::names<log::Level>("debug", "info",
                                                                           "warning", "error",
                                                                           "off");

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

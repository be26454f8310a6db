#pragma once

#include "mees/config/choices.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

/// A vector computed from a robot's state: entries of a source, each as clip((x - offset) / scale).
struct Quantity {
    QuantitySource source{QuantitySource::qpos};
    std::string body;  ///< names that the source needs
    std::string site;
    std::vector<std::string> geoms;
    std::string with;
    std::int64_t first{0};              ///< entries from here
    std::optional<std::int64_t> count;  ///< this many; without it, all
    std::vector<std::int64_t> index;    ///< if not empty, these entries instead
    std::vector<double> offset;         ///< none, one for all, or one per entry
    std::optional<double> scale;
    std::optional<double> clip;
    friend bool operator==(Quantity const&, Quantity const&) = default;
};

/// A number computed from a quantity.
struct Measure {
    MeasureKind kind{MeasureKind::constant};
    Quantity quantity;
    std::optional<double> target;   ///< the number becomes its distance to this
    std::optional<double> seconds;  ///< rate: without it, those of a control step
    std::vector<double> point;      ///< distance: to this point,
    std::string target_site;        ///< or to this site
    friend bool operator==(Measure const&, Measure const&) = default;
};

struct RewardPart {
    std::string name;
    Measure measure;
    double weight{1};
    std::optional<double> lower;  ///< limits of the weighted number
    std::optional<double> upper;
    friend bool operator==(RewardPart const&, RewardPart const&) = default;
};

/// Ends an episode when its number leaves lower..upper.
struct EndPart {
    Measure measure;
    std::optional<double> lower;
    std::optional<double> upper;
    friend bool operator==(EndPart const&, EndPart const&) = default;
};

struct BehaviourPart {
    CharacterKind kind{CharacterKind::final_value};
    Quantity quantity;
    std::vector<std::string> names;  ///< one per entry, like the next three
    std::vector<double> lower;       ///< default bounds of the map
    std::vector<double> upper;
    std::vector<std::int64_t> bins;
    friend bool operator==(BehaviourPart const&, BehaviourPart const&) = default;
};

/// The names that damage of a robot can use.
struct DamageWords {
    std::vector<std::string> motors;
    std::vector<std::string> lock;
    std::vector<std::string> shorten;
    std::vector<std::string> mass;
    friend bool operator==(DamageWords const&, DamageWords const&) = default;
};

/// A task as data: everything that an interpreter needs to run its episodes, apart from the model.
/// docs/domain-description.md says what each member means; the names there are those here.
///
/// Not checked against a model: names and indices may not exist in it.
struct TaskDescription {
    static constexpr std::int64_t version{1};

    std::string name;
    std::int64_t frame_skip{1};
    std::int64_t episode_steps{1000};
    Integrator integrator{Integrator::model};
    bool contact_forces{false};
    FitnessRule fitness{FitnessRule::sum_of_rewards};
    std::vector<std::string> damage;
    std::string keyframe;  ///< "": qpos0
    double noise{0};
    VelocityNoise velocity_noise{VelocityNoise::normal};
    std::vector<double> action_offset;  ///< empty: the action is the control
    std::vector<double> action_scale;
    std::vector<Quantity> observation;
    std::vector<RewardPart> reward;
    std::vector<EndPart> end;
    std::vector<BehaviourPart> bc;
    DamageWords damage_words;
    friend bool operator==(TaskDescription const&, TaskDescription const&) = default;
};

/// Reads a description. Throws FileError for anything that the page does not allow; `source` names
/// in the message what it belongs to. Sizes are bounded, so that a hostile one costs little.
[[nodiscard]] TaskDescription parse_description(std::string_view toml, std::string const& source);

/// As TOML; `parse_description` reads the same back.
[[nodiscard]] std::string to_toml(TaskDescription const& description);

}  // namespace mees

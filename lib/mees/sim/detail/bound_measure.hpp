#pragma once

#include "mees/sim/detail/bound_quantity.hpp"

#include <span>
#include <vector>

namespace mees {

/// A Measure with the ids and sizes of a model: a number per control step.
class BoundMeasure {
  public:
    /// Throws ConfigError for what does not fit the model.
    BoundMeasure(mjModel const& model, Measure const& measure, double seconds_per_step);

    /// The state is that before a control step, or an episode's first.
    void begin(StateView const& state);
    /// The number after the control step, or in the episode's first state, times `weight`.
    [[nodiscard]] double operator()(StateView const& state, double weight = 1) const;

  private:
    [[nodiscard]] double weighted_rate(double weight) const;
    [[nodiscard]] double distance(StateView const& state) const;

    MeasureKind kind_;
    std::vector<BoundQuantity> quantity_;  ///< none of a constant
    std::optional<double> target_;
    std::optional<double> seconds_;
    double seconds_per_step_;
    std::vector<double> point_;
    int site_{-1};
    mutable std::vector<double> values_;  ///< of the latest call
    double before_{0};
};

/// The reward's terms.
class Reward {
  public:
    Reward(mjModel const& model, std::span<RewardPart const> parts, double seconds_per_step);

    void begin(StateView const& state);
    void measure(StateView const& state, std::span<double> terms) const;

  private:
    struct Term {
        BoundMeasure measure;
        double weight{1};
        std::optional<double> lower;
        std::optional<double> upper;
    };
    std::vector<Term> terms_;
};

/// The conditions that end an episode.
class EpisodeLimits {
  public:
    EpisodeLimits(mjModel const& model, std::span<EndPart const> parts, double seconds_per_step);

    void begin(StateView const& state);
    /// Whether the state is beyond a limit.
    [[nodiscard]] bool exceeded(StateView const& state) const;

  private:
    struct Limit {
        BoundMeasure measure;
        std::optional<double> lower;
        std::optional<double> upper;
    };
    std::vector<Limit> limits_;
};

/// The behaviour characterisation of an episode.
class Characteriser {
  public:
    Characteriser(mjModel const& model, std::span<BehaviourPart const> parts,
                  double seconds_per_step);

    void begin(StateView const& state, std::span<double> bc);
    /// After a control step.
    void add(StateView const& state, std::span<double> bc);

  private:
    struct Part {
        CharacterKind kind;
        BoundQuantity quantity;
        std::vector<double> start;
        std::vector<double> sum;
        std::vector<double> values;
    };
    void write(StateView const& state, std::span<double> bc);
    void write_part(Part const& part, std::span<double> bc) const;

    std::vector<Part> parts_;
    double seconds_per_step_;
    double steps_{0};
};

}  // namespace mees

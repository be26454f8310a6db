#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct mjModel_;

namespace mees {

/// How an action becomes a motor's control: offset + scale * action; empty: it is the control.
struct ControlScale {
    std::vector<double> offset;
    std::vector<double> scale;
};

/// A change of the robot or of its surroundings, in parts that happen at once:
///   J3, a motor or a joint   that motor, or the joint's, obeys only actions in -0.01..0.01, as in
///                            the paper
///   lock:JOINT               the joint stays at its rest position, within its range
///   weak:MOTOR=0.3           the motor keeps that share of its strength
///   friction=0.5             the sliding friction of every surface is multiplied by that
///   shorten:BODY=0.7         the body keeps that share of its length; attached bodies move closer
///   mass:BODY=+1.5           the mass of the body changes by that many kilograms
///   mass=1.2                 the mass of every body is multiplied by that
///   strength=1.2             the strength of every motor is multiplied by that;
///                            strength:MOTOR=1.2: of one
///   damping=0.5              the linear damping of every joint is multiplied by that;
///                            damping:JOINT=0.5: of one
///   gravity=0.9              gravity is multiplied by that
/// Any set of parts is possible, all motors too. The names are looked up in a model by `apply`.
class Damage {
  public:
    enum class Kind : std::uint8_t {
        motor,
        lock,
        weak,
        friction,
        shorten,
        mass,
        strength,
        damping,
        gravity
    };

    struct Part {
        std::string text;  ///< as written, without surrounding spaces
        Kind kind{Kind::motor};
        std::string name;  ///< of the motor, joint or body; empty: all
        double value{0};
        friend bool operator==(Part const&, Part const&) = default;
    };

    Damage() = default;

    /// Parts joined by commas. Throws ConfigError for one of unknown kind or with an invalid value.
    [[nodiscard]] static Damage parse(std::string_view text);
    /// The parts of all strings.
    [[nodiscard]] static Damage parse(std::span<std::string const> texts);

    /// The parts joined by commas: identifies the damage.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::vector<Part> const& parts() const { return parts_; }
    [[nodiscard]] bool empty() const { return parts_.empty(); }

    /// Changes a compiled model whose motors are controlled as `scale` says. Throws ConfigError for
    /// what the model does not have, with the names that it has.
    void apply(mjModel_& model, ControlScale const& scale = {}) const;

    /// Both at once.
    [[nodiscard]] friend Damage operator+(Damage one, Damage const& other)
    {
        one.parts_.insert(one.parts_.end(), other.parts_.begin(), other.parts_.end());
        return one;
    }
    friend bool operator==(Damage const&, Damage const&) = default;

  private:
    std::vector<Part> parts_;
};

/// The paper's twelve: each joint J0..J7 of the Ant alone, then each of its legs (both joints).
[[nodiscard]] std::vector<Damage> paper_damages();

}  // namespace mees

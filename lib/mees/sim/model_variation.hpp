#pragma once

#include "mees/sim/damage.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct mjModel_;

namespace mees {

/// A distribution of models: the words of Damage, where a value may be a range LOWER..UPPER, from
/// which each variant draws uniformly and independently. Words without a range are the same in all
/// variants.
///
/// Draws depend on the seed, the variant's number and the word's position only: more variants begin
/// with the same ones. Names are looked up in a model when a variant is applied.
class ModelVariation {
  public:
    /// "friction=0.5..1.5, mass:torso=-0.2..+0.5". Throws ConfigError for what Damage does not
    /// know, for values that it refuses at either end of a range, and if there is no range.
    [[nodiscard]] static ModelVariation parse(std::string_view text);

    /// The words joined by commas.
    [[nodiscard]] std::string text() const;
    /// Each word alone at the lower and at the upper end of its range: what a model must allow.
    [[nodiscard]] std::vector<Damage> ends() const;
    /// The same, with changes of a body's mass cut to those that leave it 5 % of its mass, whatever
    /// the words before it draw; ranges that are possible as they are stay as they are.
    /// `model_with` changes the model. Throws ConfigError for a range that allows nothing, and for
    /// what the model does not allow otherwise.
    [[nodiscard]] ModelVariation allowed_by(
        std::function<std::shared_ptr<mjModel_ const>(Damage const&)> const& model_with) const;
    [[nodiscard]] std::vector<Damage> draw(std::int64_t count, std::uint64_t seed) const;

  private:
    struct Word {
        std::string text;  ///< as written, without surrounding spaces
        std::string name;  ///< before "="; empty if the word has no range
        double lower{0};
        double upper{0};
        bool is_signed{false};

        [[nodiscard]] std::string at(double value) const;
        /// The body whose mass it changes; empty: it does not.
        [[nodiscard]] std::string body() const;
        void cut_mass(mjModel_ const& model);
    };
    [[nodiscard]] static Word parse_word(std::string_view text);

    std::vector<Word> words_;
};

}  // namespace mees

#include "mees/sim/model_variation.hpp"

#include "mees/core/error.hpp"
#include "mees/core/stream.hpp"
#include "mees/sim/mujoco.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace mees {
namespace {

constexpr char const* example = "Write it like \"friction=0.5..1.5,mass:BODY=-1..+1\".";

/// Variants draw from the last generations of the replay streams, which no episode has.
constexpr std::int64_t last_generation = 0xFFFF'FFFF;

/// The share of its mass that a body keeps where a range is cut.
constexpr double least_mass = 0.05;

[[noreturn]] void reject(std::string_view word, std::string_view why,
                         std::string_view remedy = example)
{
    throw ConfigError{fmt::format("invalid --variants \"{}\"", word), why, remedy};
}

/// Rounded towards 0 to two significant digits; a last digit that is exact but for rounding stays.
double shortened(double value)
{
    double const per_unit = std::pow(10, 1 - std::floor(std::log10(value)));
    return std::floor(value * per_unit * (1 + 1e-12)) / per_unit;
}

std::string_view trimmed(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

bool has_sign(std::string_view number)
{
    return number.starts_with('+') || number.starts_with('-');
}

double parse_end(std::string_view word, std::string_view number)
{
    auto const* begin = number.data() + (number.starts_with('+') ? 1 : 0);
    auto const* end = number.data() + number.size();
    double value = 0;
    auto const [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value)) {
        reject(word, fmt::format("\"{}\" is not a number", number));
    }
    return value;
}

}  // namespace

std::string ModelVariation::Word::at(double value) const
{
    if (name.empty()) {
        return text;
    }
    return is_signed ? fmt::format("{}={:+.6g}", name, value)
                     : fmt::format("{}={:.6g}", name, value);
}

std::string ModelVariation::Word::body() const
{
    constexpr std::string_view kind = "mass:";
    return name.starts_with(kind) ? name.substr(kind.size()) : std::string{};
}

void ModelVariation::Word::cut_mass(mjModel const& model)
{
    int const id = body().empty() ? -1 : mj_name2id(&model, mjOBJ_BODY, body().c_str());
    double const mass = id < 0 ? 0 : model.body_mass[id];
    if (mass <= 0 || lower > -mass) {
        return;
    }
    double const least = -shortened((1 - least_mass) * mass);
    if (upper < least) {
        reject(text, fmt::format("the body weighs {:.3g} kg", mass),
               fmt::format("Remove less, such as {}={:.2g}..+0.", name, -mass / 2));
    }
    lower = least;
    text = fmt::format("{}..{}", at(lower), text.substr(text.find("..") + 2));
}

ModelVariation::Word ModelVariation::parse_word(std::string_view text)
{
    Word word{.text = std::string{trimmed(text)}, .name = {}};
    if (word.text.empty()) {
        reject(text, "a word is missing");
    }
    auto const equals = word.text.find('=');
    auto const dots = word.text.find("..", std::min(equals, word.text.size()));
    if (dots == std::string::npos) {
        static_cast<void>(Damage::parse(word.text));
        return word;
    }
    auto const lower = trimmed(std::string_view{word.text}.substr(equals + 1, dots - equals - 1));
    auto const upper = trimmed(std::string_view{word.text}.substr(dots + 2));
    word.name = word.text.substr(0, equals);
    word.lower = parse_end(word.text, lower);
    word.upper = parse_end(word.text, upper);
    word.is_signed = has_sign(lower) || has_sign(upper);
    if (word.lower > word.upper) {
        reject(word.text, "the range ends below its start");
    }
    return word;
}

ModelVariation ModelVariation::parse(std::string_view text)
{
    ModelVariation variation;
    for (bool more = true; more;) {
        auto const comma = text.find(',');
        variation.words_.push_back(parse_word(text.substr(0, comma)));
        more = comma != std::string_view::npos;
        text.remove_prefix(more ? comma + 1 : 0);
    }
    if (std::ranges::all_of(variation.words_, [](auto const& word) { return word.name.empty(); })) {
        reject(variation.text(), "no word has a range, so all variants would be the same");
    }
    static_cast<void>(variation.ends());
    return variation;
}

std::string ModelVariation::text() const
{
    std::string text;
    for (auto const& word : words_) {
        text += (text.empty() ? "" : ",") + word.text;
    }
    return text;
}

std::vector<Damage> ModelVariation::ends() const
{
    std::vector<Damage> ends;
    for (auto const& word : words_) {
        for (double const value : {word.lower, word.upper}) {
            ends.push_back(Damage::parse(word.at(value)));
        }
    }
    return ends;
}

ModelVariation ModelVariation::allowed_by(
    std::function<ModelPtr(Damage const&)> const& model_with) const
{
    ModelVariation cut = *this;
    Damage lightest;  // what the words before it can do
    for (auto& word : cut.words_) {
        word.cut_mass(*model_with(lightest));
        lightest = std::move(lightest) + Damage::parse(word.at(word.lower));
    }
    for (auto const& end : cut.ends()) {
        static_cast<void>(model_with(end));
    }
    return cut;
}

std::vector<Damage> ModelVariation::draw(std::int64_t count, std::uint64_t seed) const
{
    std::vector<Damage> variants;
    for (std::int64_t variant = 0; variant < count; ++variant) {
        Damage changes;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            auto const& word = words_[i];
            Stream stream{seed, Purpose::replay,
                          Generation{last_generation - static_cast<std::int64_t>(i)}, variant};
            changes =
                std::move(changes) + Damage::parse(word.at(stream.uniform(word.lower, word.upper)));
        }
        variants.push_back(std::move(changes));
    }
    return variants;
}

}  // namespace mees

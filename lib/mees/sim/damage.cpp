#include "mees/sim/damage.hpp"

#include "mees/sim/detail/apply_damage.hpp"
#include "mees/sim/mujoco.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace mees {
namespace {

/// A part in the form kind:NAME=VALUE, of which any piece may be absent.
struct Pieces {
    std::string kind;
    std::string name;
    std::optional<double> value;
    bool is_signed{false};
};

double parse_value(std::string const& part, std::string const& number)
{
    auto const* begin = number.data() + (number.starts_with('+') ? 1 : 0);
    auto const* end = number.data() + number.size();
    double value = 0;
    auto const [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value)) {
        reject_damage(part, fmt::format("\"{}\" is not a number", number),
                      "Write it like NAME=0.5.");
    }
    return value;
}

Pieces split_part(std::string const& part)
{
    Pieces pieces{.kind = {}, .name = part, .value = {}};
    if (auto const equals = part.find('='); equals != std::string::npos) {
        auto const number = part.substr(equals + 1);
        pieces.is_signed = number.starts_with('+') || number.starts_with('-');
        pieces.value = parse_value(part, number);
        pieces.name.resize(equals);
    }
    if (auto const colon = pieces.name.find(':'); colon != std::string::npos) {
        pieces.kind = pieces.name.substr(0, colon);
        pieces.name.erase(0, colon + 1);
    } else if (pieces.value) {
        std::swap(pieces.kind, pieces.name);
    }
    return pieces;
}

Damage::Kind kind_of(std::string const& part, Pieces const& pieces)
{
    using Kind = Damage::Kind;
    static std::map<std::string, Kind> const kinds{{"", Kind::motor},
                                                   {"lock", Kind::lock},
                                                   {"weak", Kind::weak},
                                                   {"friction", Kind::friction},
                                                   {"shorten", Kind::shorten},
                                                   {"mass", Kind::mass},
                                                   {"strength", Kind::strength},
                                                   {"damping", Kind::damping},
                                                   {"gravity", Kind::gravity}};
    auto const found = kinds.find(pieces.kind);
    bool const of_all = pieces.kind == "friction" || pieces.kind == "gravity";
    bool const has_excess =
        (pieces.kind == "lock" && pieces.value) || (of_all && !pieces.name.empty());
    if (found != kinds.end() && !has_excess) {
        return found->second;
    }
    reject_damage(part, "it is neither a motor nor a joint nor a change of the model",
                  "Use J0, lock:JOINT, weak:MOTOR=0.3, friction=0.5, shorten:BODY=0.7, "
                  "mass:BODY=+1.5, mass=1.2, strength=1.2, damping=0.5 or gravity=0.9.");
}

void check_value(std::string const& part, Damage::Kind kind, Pieces const& pieces)
{
    double const value = pieces.value.value_or(0);
    bool const positive = pieces.value && !pieces.is_signed && value > 0;
    switch (kind) {
        case Damage::Kind::motor:
        case Damage::Kind::lock:
            return;
        case Damage::Kind::weak:
        case Damage::Kind::shorten:
            if (!positive || value > 1) {
                reject_damage(part, "the share that remains must be above 0 and at most 1",
                              fmt::format("Write it like {}{}=0.5.", pieces.kind,
                                          pieces.name.empty() ? "" : ":" + pieces.name));
            }
            return;
        case Damage::Kind::mass:
            if (!pieces.name.empty()) {
                if (!pieces.is_signed) {
                    reject_damage(part, "a change of mass must have a sign",
                                  "Write it like mass:BODY=+1.5.");
                }
                return;
            }
            [[fallthrough]];
        case Damage::Kind::friction:
        case Damage::Kind::strength:
        case Damage::Kind::damping:
        case Damage::Kind::gravity:
            if (!positive) {
                reject_damage(
                    part, fmt::format("{} is multiplied by a number above 0", pieces.kind),
                    fmt::format("Write it like {}{}=0.5.", pieces.kind,
                                pieces.name.empty() ? "" : fmt::format(":{}", pieces.name)));
            }
            return;
    }
}

Damage::Part parse_part(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    std::string part{text.substr(0, text.find_last_not_of(' ') + 1)};
    auto pieces = split_part(part);
    auto const kind = kind_of(part, pieces);
    check_value(part, kind, pieces);
    return {std::move(part), kind, std::move(pieces.name), pieces.value.value_or(0)};
}

}  // namespace

Damage Damage::parse(std::string_view text)
{
    Damage damage;
    while (true) {
        auto const comma = text.find(',');
        damage.parts_.push_back(parse_part(text.substr(0, comma)));
        if (comma == std::string_view::npos) {
            return damage;
        }
        text.remove_prefix(comma + 1);
    }
}

Damage Damage::parse(std::span<std::string const> texts)
{
    Damage damage;
    for (auto const& text : texts) {
        damage = std::move(damage) + parse(text);
    }
    return damage;
}

std::string Damage::text() const
{
    std::string text;
    for (auto const& part : parts_) {
        text += (text.empty() ? "" : ",") + part.text;
    }
    return text;
}

void Damage::apply(mjModel& model, ControlScale const& scale) const
{
    if (empty()) {
        return;
    }
    for (auto const& part : parts_) {
        apply_damage(model, part, scale);
    }
    mj_setConst(&model, make_data(model).get());
}

std::vector<Damage> paper_damages()
{
    std::vector<Damage> damages;
    for (int joint = 0; joint < 8; ++joint) {
        damages.push_back(Damage::parse(fmt::format("J{}", joint)));
    }
    for (int hip = 0; hip < 8; hip += 2) {
        damages.push_back(Damage::parse(fmt::format("J{},J{}", hip, hip + 1)));
    }
    return damages;
}

}  // namespace mees

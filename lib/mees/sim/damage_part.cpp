#include "mees/sim/damage_part.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace mees {

void reject_damage(std::string_view part, std::string_view why, std::string_view remedy)
{
    throw ConfigError{fmt::format("the damage \"{}\" cannot be applied", part), why, remedy};
}

DamagePart parse_damage_part(std::string const& text)
{
    DamagePart part{.text = text, .kind = {}, .name = text, .value = {}};
    if (auto const equals = part.name.find('='); equals != std::string::npos) {
        auto number = part.name.substr(equals + 1);
        part.is_signed = !number.empty() && (number[0] == '+' || number[0] == '-');
        auto const* begin = number.data() + (number.starts_with('+') ? 1 : 0);
        auto const* end = number.data() + number.size();
        double value = 0;
        auto const [stop, error] = std::from_chars(begin, end, value);
        if (error != std::errc{} || stop != end || !std::isfinite(value)) {
            reject_damage(text, fmt::format("\"{}\" is not a number", number),
                          "write it as NAME=0.5");
        }
        part.value = value;
        part.name.resize(equals);
    }
    if (auto const colon = part.name.find(':'); colon != std::string::npos) {
        part.kind = part.name.substr(0, colon);
        part.name.erase(0, colon + 1);
    } else if (part.value) {
        std::swap(part.kind, part.name);
    }
    return part;
}

double share(DamagePart const& part)
{
    if (!part.value || part.is_signed || *part.value <= 0 || *part.value > 1) {
        reject_damage(part.text, "what remains is a share above 0 and at most 1",
                      fmt::format("write it like {}{}=0.5", part.kind,
                                  part.name.empty() ? "" : ":" + part.name));
    }
    return *part.value;
}

}  // namespace mees

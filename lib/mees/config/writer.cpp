#include "mees/config/config.hpp"
#include "mees/config/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mees {
namespace {

std::string toml_string(std::string const& text)
{
    std::string quoted{'"'};
    for (char const c : text) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

struct Writer {
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    /// The shortest digits that read back to the same number, never mistaken for an integer.
    std::string operator()(double number) const
    {
        auto text = fmt::format("{}", number);
        bool const looks_like_integer = text.find_first_not_of("-0123456789") == std::string::npos;
        return looks_like_integer ? text + ".0" : text;
    }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::string const& text) const { return toml_string(text); }
    std::string operator()(Choice const& choice) const
    {
        return toml_string(std::string{choice.name()});
    }
    std::string operator()(Objective const& objective) const
    {
        return toml_string(to_string(objective));
    }
    std::string operator()(RewardTermSettings const& term) const
    {
        auto text = fmt::format("{{kind = {}, weight = {}",
                                toml_string(std::string{name_of(term.kind)}), (*this)(term.weight));
        if (!term.body.empty()) {
            text += ", body = " + (*this)(term.body);
        }
        if (term.kind == RewardKind::target_speed) {
            text += ", target = " + (*this)(term.target);
        }
        if (!term.site.empty()) {
            text += ", site = " + (*this)(term.site);
        }
        if (!term.point.empty()) {
            text += ", point = " + (*this)(term.point);
        }
        return text + "}";
    }
    template <class T>
    std::string operator()(std::vector<T> const& list) const
    {
        std::vector<std::string> entries;
        for (auto const& entry : list) {
            entries.push_back((*this)(entry));
        }
        return fmt::format("[{}]", fmt::join(entries, ", "));
    }
};

}  // namespace

std::string to_toml(Value const& value)
{
    return std::visit(Writer{}, value);
}

std::string to_toml(Settings const& settings)
{
    std::string text;
    std::string_view section;
    for (auto const& key : schema()) {
        if (key.section != section) {
            text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", key.section);
            section = key.section;
        }
        text += fmt::format("{} = {}\n", key.name, to_toml(key.get(settings)));
    }
    return text;
}

}  // namespace mees

#include "mees/sim/detail/xml_tags.hpp"

#include "mees/core/error.hpp"

#include <array>

namespace mees {
namespace {

constexpr std::string_view spaces = " \t\r\n";

FileError unreadable(std::string_view why)
{
    return {"cannot read the model as XML", why, "Correct the model."};
}

/// The position after the first `end` in `text` from `from` on.
std::size_t after(std::string_view text, std::string_view end, std::size_t from)
{
    auto const found = text.find(end, from);
    if (found == std::string_view::npos) {
        throw unreadable("a tag or comment does not end");
    }
    return found + end.size();
}

/// The position after the tag that begins at `from`: its first ">" outside quotes.
std::size_t after_tag(std::string_view text, std::size_t from)
{
    for (auto i = from + 1; i < text.size(); ++i) {
        char const c = text[i];
        if (c == '>') {
            return i + 1;
        }
        if (c == '<') {
            break;
        }
        if (c == '"' || c == '\'') {
            i = after(text, text.substr(i, 1), i + 1) - 1;
        }
    }
    throw unreadable("a tag does not end");
}

XmlPiece piece_at(std::string_view text, std::size_t from)
{
    auto const rest = text.substr(from);
    if (!rest.starts_with('<')) {
        return {XmlPiece::Kind::text, rest.substr(0, rest.find('<'))};
    }
    if (rest.starts_with("<!--")) {
        return {XmlPiece::Kind::comment, rest.substr(0, after(rest, "-->", 4))};
    }
    if (rest.starts_with("<?")) {
        return {XmlPiece::Kind::comment, rest.substr(0, after(rest, "?>", 2))};
    }
    if (rest.starts_with("<!")) {
        throw unreadable("it has a document type or a CDATA section");
    }
    return {XmlPiece::Kind::tag, rest.substr(0, after_tag(rest, 0))};
}

std::string decoded(std::string_view value)
{
    constexpr std::array<std::pair<std::string_view, char>, 5> entities{
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
    std::string text;
    for (std::size_t i = 0; i < value.size();) {
        if (value[i] != '&') {
            text += value[i++];
            continue;
        }
        bool known = false;
        for (auto const& [entity, character] : entities) {
            if (value.substr(i).starts_with(entity)) {
                text += character;
                i += entity.size();
                known = true;
                break;
            }
        }
        if (!known) {
            throw unreadable("it has an entity that XML does not define");
        }
    }
    return text;
}

}  // namespace

std::string_view XmlPiece::name() const
{
    auto const begin = closes() ? 2U : 1U;
    auto const end = text.find_first_of(" \t\r\n/>", begin);
    return text.substr(begin, end - begin);
}

std::vector<std::pair<std::string, std::string>> XmlPiece::attributes() const
{
    std::vector<std::pair<std::string, std::string>> attributes;
    auto rest = text.substr(1 + name().size(), text.size() - 2 - name().size());
    while (!closes()) {
        auto const begin = rest.find_first_not_of(" \t\r\n/");
        if (begin == std::string_view::npos) {
            break;
        }
        auto const equals = rest.find('=', begin);
        auto const quote =
            equals == std::string_view::npos ? equals : rest.find_first_not_of(spaces, equals + 1);
        if (quote == std::string_view::npos || (rest[quote] != '"' && rest[quote] != '\'')) {
            throw unreadable("an attribute has no value in quotes");
        }
        auto const end = after(rest, rest.substr(quote, 1), quote + 1);
        auto key = rest.substr(begin, equals - begin);
        key = key.substr(0, key.find_last_not_of(spaces) + 1);
        attributes.emplace_back(key, decoded(rest.substr(quote + 1, end - quote - 2)));
        rest.remove_prefix(end);
    }
    return attributes;
}

std::string XmlPiece::attribute(std::string_view name) const
{
    for (auto const& [key, value] : attributes()) {
        if (key == name) {
            return value;
        }
    }
    return {};
}

std::vector<XmlPiece> split_xml(std::string_view text)
{
    if (text.find('\0') != std::string_view::npos) {
        throw unreadable("it has a null character");
    }
    std::vector<XmlPiece> pieces;
    for (std::size_t at = 0; at < text.size(); at += pieces.back().text.size()) {
        pieces.push_back(piece_at(text, at));
    }
    return pieces;
}

std::string children_of_root(std::string_view text)
{
    std::string_view first;
    std::string_view last;
    for (auto const& piece : split_xml(text)) {
        if (piece.kind == XmlPiece::Kind::tag) {
            first = first.empty() ? piece.text : first;
            last = piece.text;
        }
    }
    if (first.empty() || first.ends_with("/>")) {
        return {};
    }
    if (!last.starts_with("</")) {
        throw unreadable("an included file has no root element");
    }
    auto const* begin = first.data() + first.size();
    return {begin, last.data()};
}

}  // namespace mees

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mees {

/// A piece of an XML text; all pieces in order are the text.
struct XmlPiece {
    enum class Kind { tag, comment, text };
    Kind kind{Kind::text};
    std::string_view text;

    /// Of a tag, without "/".
    [[nodiscard]] std::string_view name() const;
    /// "</name>".
    [[nodiscard]] bool closes() const { return text.starts_with("</"); }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> attributes() const;
    /// "" if the tag does not have it.
    [[nodiscard]] std::string attribute(std::string_view name) const;
};

/// Splits an XML text into tags, comments (with declarations: <!-- -->, <? ?>) and the text
/// between. Throws FileError for what is not simple XML: sections CDATA, document types, entities
/// other than the five of XML, and tags that do not end. So no reader can see other tags in it.
[[nodiscard]] std::vector<XmlPiece> split_xml(std::string_view text);

/// What is between the tags of the first element.
[[nodiscard]] std::string children_of_root(std::string_view text);

}  // namespace mees

#include "mees/core/error.hpp"
#include "mees/sim/detail/mujoco_domain.hpp"
#include "mees/sim/registry.hpp"

#include <fmt/format.h>

#include <charconv>
#include <span>

namespace mees {
namespace {

void append(std::string& packed, std::string_view piece)
{
    packed += fmt::format("{}:", piece.size());
    packed += piece;
}

std::string_view take(std::string_view& packed)
{
    std::size_t size = 0;
    auto const [stop, error] = std::from_chars(packed.data(), packed.data() + packed.size(), size);
    packed.remove_prefix(static_cast<std::size_t>(stop - packed.data()) + 1);
    auto const piece = packed.substr(0, size);
    packed.remove_prefix(size);
    return piece;
}

}  // namespace

DomainPtr restore_domain(DomainDocument const& document, std::string const& source)
{
    check_document(document, source);
    try {
        return make_mujoco_domain({source, document.model, document.assets},
                                  parse_description(document.description, source));
    } catch (ConfigError const& error) {
        throw FileError{fmt::format("cannot use the domain of {}", source), error.what(),
                        "Choose another map."};
    }
}

void check_document(DomainDocument const& document, std::string const& source)
{
    static_cast<void>(parse_description(document.description, source));
    require_self_contained({source, document.model, document.assets});
}

std::shared_ptr<DomainDocument const> document_of_file(std::filesystem::path const& model)
{
    auto text = read_model_text(model);
    return std::make_shared<DomainDocument const>(
        DomainDocument{std::move(text.text), {}, std::move(text.assets)});
}

std::string pack(DomainDocument const& document)
{
    std::string packed;
    append(packed, document.model);
    append(packed, document.description);
    for (auto const& asset : document.assets) {
        append(packed, asset.file);
        append(packed, {reinterpret_cast<char const*>(asset.content.data()), asset.content.size()});
    }
    return packed;
}

DomainDocument unpack(std::string_view packed)
{
    DomainDocument document;
    document.model = take(packed);
    document.description = take(packed);
    while (!packed.empty()) {
        ModelAsset asset{std::string{take(packed)}, {}};
        auto const bytes = std::as_bytes(std::span{take(packed)});
        asset.content.assign(bytes.begin(), bytes.end());
        document.assets.push_back(std::move(asset));
    }
    return document;
}

}  // namespace mees

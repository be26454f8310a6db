#include "mees/sim/detail/model_text.hpp"

#include "mees/core/error.hpp"
#include "mees/sim/detail/xml_tags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace mees {
namespace {

constexpr int deepest_include = 16;
constexpr std::size_t largest_text = std::size_t{64} << 20U;
constexpr std::size_t largest_assets = std::size_t{256} << 20U;
constexpr std::size_t most_assets = 1000;

FileError unusable(std::string const& model, std::string const& why)
{
    return {fmt::format("cannot use the model {}", model), why, "Correct the model."};
}

std::string content_of(std::filesystem::path const& path, std::string const& model)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        throw unusable(model, fmt::format("it refers to {}, which is not a file", path.string()));
    }
    if (std::filesystem::file_size(path, error) > largest_assets || error) {
        throw unusable(model, fmt::format("{} is too large", path.string()));
    }
    std::ifstream file{path, std::ios::binary};
    std::string content{std::istreambuf_iterator<char>{file}, {}};
    if (!file) {
        throw unusable(model, fmt::format("cannot read {}", path.string()));
    }
    return content;
}

/// Resolves the includes of one model.
class Includes {
  public:
    Includes(std::filesystem::path folder, std::string model)
        : folder_{std::move(folder)}, model_{std::move(model)}
    {
    }

    /// The text with the children of each included file's root in place of the element.
    [[nodiscard]] std::string resolve(std::string const& text, std::filesystem::path const& folder,
                                      int depth = 0) const
    {
        std::string resolved;
        for (auto const& piece : split_xml(text)) {
            if (piece.kind == XmlPiece::Kind::comment) {
                continue;
            }
            if (piece.kind != XmlPiece::Kind::tag || piece.name() != "include") {
                resolved += piece.text;
            } else if (!piece.closes()) {
                resolved += included(piece.attribute("file"), folder, depth);
            }
            if (resolved.size() > largest_text) {
                throw unusable(model_, "it is too large");
            }
        }
        return resolved;
    }

  private:
    [[nodiscard]] std::string included(std::string const& file, std::filesystem::path const& folder,
                                       int depth) const
    {
        if (file.empty() || depth == deepest_include) {
            throw unusable(model_,
                           file.empty() ? "an include has no file" : "includes form a loop");
        }
        auto path = folder_ / file;
        if (!std::filesystem::exists(path)) {
            path = folder / file;
        }
        return children_of_root(resolve(content_of(path, model_), path.parent_path(), depth + 1));
    }

    std::filesystem::path folder_;
    std::string model_;
};

/// Where a model's elements look for files.
struct AssetFolders {
    std::string meshes;
    std::string textures;
    bool strip_path{false};
};

AssetFolders folders_of(std::vector<XmlPiece> const& pieces)
{
    AssetFolders folders;
    for (auto const& piece : pieces) {
        if (piece.kind != XmlPiece::Kind::tag) {
            continue;
        }
        folders.strip_path = folders.strip_path || piece.name() == "robot";  // URDF
        if (piece.name() != "compiler") {
            continue;
        }
        if (auto const both = piece.attribute("assetdir"); !both.empty()) {
            folders.meshes = both;
            folders.textures = both;
        }
        if (auto const meshes = piece.attribute("meshdir"); !meshes.empty()) {
            folders.meshes = meshes;
        }
        if (auto const textures = piece.attribute("texturedir"); !textures.empty()) {
            folders.textures = textures;
        }
        if (auto const strip = piece.attribute("strippath"); !strip.empty()) {
            folders.strip_path = strip == "true";
        }
    }
    return folders;
}

/// The names under which the engine looks for the files that the elements refer to.
std::vector<std::string> files_of(std::string const& text)
{
    auto const pieces = split_xml(text);
    auto const folders = folders_of(pieces);
    std::vector<std::string> files;
    for (auto const& piece : pieces) {
        if (piece.kind != XmlPiece::Kind::tag) {
            continue;
        }
        for (auto const& [name, value] : piece.attributes()) {
            if (!name.starts_with("file") || value.empty()) {
                continue;
            }
            std::filesystem::path const given{value};
            auto const file = folders.strip_path ? given.filename() : given;
            auto const& folder = piece.name() == "texture" ? folders.textures : folders.meshes;
            auto path = (std::filesystem::path{folder} / file).generic_string();
            if (std::ranges::find(files, path) == files.end()) {
                files.push_back(std::move(path));
            }
        }
    }
    return files;
}

std::vector<std::byte> bytes_of(std::string const& content)
{
    auto const* begin = reinterpret_cast<std::byte const*>(content.data());
    return {begin, begin + content.size()};
}

}  // namespace

ModelText read_model_text(std::filesystem::path const& path)
{
    auto const folder = path.parent_path();
    ModelText model{.name = path.string(), .text = {}, .assets = {}};
    model.text = Includes{folder, model.name}.resolve(content_of(path, model.name), folder);
    std::size_t size = 0;
    for (auto const& file : files_of(model.text)) {
        auto const content = content_of(folder / file, model.name);
        size += content.size();
        if (size > largest_assets || model.assets.size() == most_assets) {
            throw unusable(model.name, fmt::format("its files are more than {} or larger than {} "
                                                   "bytes",
                                                   most_assets, largest_assets));
        }
        model.assets.push_back({file, bytes_of(content)});
    }
    return model;
}

void require_self_contained(ModelText const& model)
{
    if (model.text.size() > largest_text) {
        throw unusable(model.name, "it is too large");
    }
    for (auto const& piece : split_xml(model.text)) {
        if (piece.kind == XmlPiece::Kind::tag && piece.name() == "include") {
            throw unusable(model.name, "it includes a file");
        }
    }
    for (auto const& file : files_of(model.text)) {
        bool const carried = std::ranges::any_of(
            model.assets, [&](ModelAsset const& asset) { return asset.file == file; });
        if (!carried) {
            throw unusable(model.name, fmt::format("it refers to the file {}, which is not part of "
                                                   "it",
                                                   file));
        }
    }
}

}  // namespace mees

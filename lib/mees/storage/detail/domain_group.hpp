#pragma once

// The group /domain of maps and recordings: docs/domain-description.md.

#include "mees/sim/task.hpp"
#include "mees/storage/hdf5/file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mees {
namespace domain_group {

inline constexpr char const* path = "/domain";
inline constexpr char const* model = "/domain/model";
inline constexpr char const* description = "/domain/description";
inline constexpr char const* assets = "/domain/assets";

[[nodiscard]] inline std::string asset(std::int64_t index)
{
    return fmt::format("{}/{}", assets, index);
}

}  // namespace domain_group

/// `File` is hdf5::Writer or hdf5::ByteCounter.
template <class File>
void write_domain(File& file, DomainDocument const& domain)
{
    file.group(domain_group::path);
    file.dataset(domain_group::model, std::vector{domain.model});
    file.dataset(domain_group::description, std::vector{domain.description});
    if (!domain.assets.empty()) {
        file.group(domain_group::assets);
    }
    std::int64_t index = 0;
    for (auto const& asset : domain.assets) {
        auto const path = domain_group::asset(index++);
        auto const* bytes = reinterpret_cast<std::uint8_t const*>(asset.content.data());
        file.dataset(path, std::span{bytes, asset.content.size()}, {std::ssize(asset.content)});
        file.attribute(path, "file", std::string_view{asset.file});
    }
}

/// Null if the file has none. Throws FileError for one that is larger than any program writes.
[[nodiscard]] std::shared_ptr<DomainDocument const> read_domain(hdf5::Reader const& file);

}  // namespace mees

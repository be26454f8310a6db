#pragma once

// The group /domain of maps and recordings: docs/domain-description.md.

#include "mees/config/choices.hpp"
#include "mees/sim/task.hpp"
#include "mees/storage/hdf5/file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mees {
namespace domain_group {

inline constexpr char const* path = "/domain";
inline constexpr char const* model = "/domain/model";
inline constexpr char const* description = "/domain/description";
inline constexpr char const* assets = "/domain/assets";
inline constexpr char const* program = "/domain/program";

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

/// The same.
template <class File>
void write_program(File& file, ProgramStatement const& program)
{
    file.group(domain_group::path);
    file.group(domain_group::program);
    auto const* const path = domain_group::program;
    file.attribute(path, "observation_size", program.observation_size);
    file.attribute(path, "action_size", program.action_size);
    file.attribute(path, "episode_steps", program.episode_steps);
    file.attribute(path, "seconds_per_step", program.seconds_per_step);
    file.attribute(path, "fitness", name_of(program.fitness));
    file.attribute(path, "images", std::int64_t{program.images});
    file.attribute(path, "reward_terms", program.reward_terms);
}

/// Nothing if the file has none. Throws FileError for one that no program writes.
[[nodiscard]] std::optional<ProgramStatement> read_program(hdf5::Reader const& file);

/// Null if the file has none. Throws FileError for one that is larger than any program writes.
[[nodiscard]] std::shared_ptr<DomainDocument const> read_domain(hdf5::Reader const& file);

}  // namespace mees

#pragma once

#include "mees/core/atomic_file.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

/// A numpy archive (.npz) in memory: named arrays, uncompressed, little-endian, row-major.
class NpzWriter {
  public:
    void add(std::string_view name, std::span<float const> values,
             std::vector<std::int64_t> const& shape);
    void add(std::string_view name, std::span<double const> values,
             std::vector<std::int64_t> const& shape);
    void add(std::string_view name, std::span<std::int64_t const> values,
             std::vector<std::int64_t> const& shape);
    /// Writes the archive like write_new_file.
    void write(std::filesystem::path const& path, Existing existing) const;

  private:
    void add_file(std::string const& name, std::string_view header,
                  std::span<std::byte const> data);

    std::string bytes_;
    std::string directory_;
    std::uint16_t files_{0};
};

}  // namespace mees

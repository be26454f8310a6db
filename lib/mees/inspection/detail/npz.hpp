#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

/// A new numpy archive (.npz): named arrays, uncompressed, little-endian, row-major.
///
/// The file is whole only after `finish`, which throws FileError if the disk did not take it all.
class NpzWriter {
  public:
    /// Throws FileError if there is such a file already or it cannot be made.
    explicit NpzWriter(std::filesystem::path path);

    void add(std::string_view name, std::span<float const> values,
             std::vector<std::int64_t> const& shape);
    void add(std::string_view name, std::span<double const> values,
             std::vector<std::int64_t> const& shape);
    void add(std::string_view name, std::span<std::int64_t const> values,
             std::vector<std::int64_t> const& shape);
    void finish();

  private:
    void add_file(std::string const& name, std::string_view header,
                  std::span<std::byte const> data);

    std::filesystem::path path_;
    std::ofstream file_;
    std::string directory_;
    std::uint32_t offset_{0};
    std::uint16_t files_{0};
};

}  // namespace mees

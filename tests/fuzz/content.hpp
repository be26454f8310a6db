#pragma once

#include "fuzz/target.hpp"

#include "mees/storage/hdf5/file.hpp"

#include <functional>
#include <variant>
#include <vector>

namespace mees::test {

/// The content of one of our HDF5 files, to be changed and written again. A fuzzer that changes
/// bytes of the file itself gets no further than its checksums.
class Content {
  public:
    using Values =
        std::variant<std::vector<std::int8_t>, std::vector<std::uint8_t>, std::vector<std::int32_t>,
                     std::vector<std::int64_t>, std::vector<std::uint64_t>, std::vector<float>,
                     std::vector<double>, std::vector<std::string>>;
    struct Item {
        std::string object;
        std::string attribute;  ///< empty: the object is a dataset
        Values values;
        hdf5::Shape shape;  ///< of a dataset
    };

    explicit Content(std::filesystem::path const& path);

    /// Drops datasets and attributes, or changes their values, types and shapes, as the bytes say.
    /// All bytes are valid.
    void change(ByteView bytes);
    void write(std::filesystem::path const& path) const;

  private:
    std::vector<std::string> groups_;
    std::vector<Item> items_;
};

/// Calls `check` with a file of the changed content.
void try_changed(Content content, ByteView changes,
                 std::function<void(std::filesystem::path const&)> const& check);

}  // namespace mees::test

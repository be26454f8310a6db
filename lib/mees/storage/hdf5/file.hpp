#pragma once

#include "mees/core/atomic_file.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// HDF5 files without HDF5's own types. Numbers are int8, uint8, int32, int64, uint64, float and
/// double; values are passed as flat, row-major spans with a shape.
///
/// The library is not thread-safe: every call here takes one lock, so that threads may use
/// different files at the same time. The library prints no errors; its reasons are part of the
/// exceptions.
namespace mees::hdf5 {

using Shape = std::vector<std::int64_t>;

enum class Type : std::uint8_t {
    int8,
    uint8,
    int32,
    int64,
    uint64,
    float32,
    float64,
    string,
    other
};

[[nodiscard]] std::string_view name_of(Type type);
/// "float64 of shape 12 x 4".
[[nodiscard]] std::string describe(Type type, Shape const& shape);
/// Product of the sizes; 1 for a scalar.
[[nodiscard]] std::int64_t element_count(Shape const& shape);
/// "1.10.8".
[[nodiscard]] std::string library_version();

/// A new file, filled once from front to back.
///
/// Datasets are checksummed (fletcher32), chunked, little-endian and carry the attribute `digest`
/// of their values; metadata are checksummed too; nothing has a time stamp or a variable length. A
/// failing disk causes a WriteError, at the latest from `finish`, which returns only when the data
/// have reached the disk. A file that is not finished is unusable, and the caller removes it.
class Writer {
  public:
    /// `expected_bytes` are reserved immediately where the file system can do that, so that a full
    /// disk is noticed early. Never overwrites a file. Once `cancelled` is true nothing more is
    /// written, and the next call throws a WriteError.
    explicit Writer(std::filesystem::path const& path, std::int64_t expected_bytes = 0,
                    std::atomic<bool> const* cancelled = nullptr);
    Writer(Writer&&) noexcept;
    Writer& operator=(Writer&&) noexcept;
    ~Writer();

    void group(std::string const& path);

    template <class T>
    void dataset(std::string const& path, std::span<T const> values, Shape const& shape);
    template <class T>
    void dataset(std::string const& path, std::vector<T> const& values)
    {
        dataset(path, std::span<T const>{values}, {static_cast<std::int64_t>(values.size())});
    }
    void dataset(std::string const& path, std::vector<std::string> const& values);

    /// A rows x columns dataset chunked by row. `row(i)` gives row i, which need only live until
    /// the next call.
    template <class T>
    void rows(std::string const& path, std::int64_t rows, std::int64_t columns,
              std::function<std::span<T const>(std::int64_t)> const& row);

    template <class T>
    void attribute(std::string const& object, std::string const& name, std::span<T const> values);
    void attribute(std::string const& object, std::string const& name, std::int64_t value);
    void attribute(std::string const& object, std::string const& name, double value);
    void attribute(std::string const& object, std::string const& name, std::string_view value);
    void attribute(std::string const& object, std::string const& name,
                   std::vector<std::string> const& values);

    void finish();

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// HDF5 files of the layout that this program writes have checksums of their metadata. Without them
/// the library does not notice damage, and may crash.
enum class Layout { checksummed, any };

/// `any` if the file exists and is not clearly of the checksummed layout.
[[nodiscard]] Layout layout_of(std::filesystem::path const& path);

/// A file being read. An object that is missing, of another type or shape than requested, or
/// damaged causes a FileError that names the file, the object and the reason. No damage of a
/// checksummed file crashes the program; other files are rejected unless `accepted` is Layout::any.
class Reader {
  public:
    explicit Reader(std::filesystem::path const& path, Layout accepted = Layout::checksummed);
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;
    ~Reader();

    [[nodiscard]] std::filesystem::path const& path() const;
    [[nodiscard]] bool has(std::string const& path) const;
    [[nodiscard]] bool has_attribute(std::string const& object, std::string const& name) const;
    [[nodiscard]] std::vector<std::string> attribute_names(std::string const& object) const;
    /// Paths of all datasets and groups below the root, sorted.
    [[nodiscard]] std::vector<std::string> datasets() const;
    [[nodiscard]] std::vector<std::string> groups() const;

    [[nodiscard]] Type type(std::string const& dataset) const;
    [[nodiscard]] Shape shape(std::string const& dataset) const;

    /// All values; the dataset must have exactly this type and shape.
    template <class T>
    [[nodiscard]] std::vector<T> values(std::string const& dataset, Shape const& shape) const;
    /// All values of a dataset of this type and any shape.
    template <class T>
    [[nodiscard]] std::vector<T> values(std::string const& dataset) const
    {
        return values<T>(dataset, shape(dataset));
    }
    /// All values of a one-dimensional dataset of strings.
    [[nodiscard]] std::vector<std::string> texts(std::string const& dataset) const;
    /// One row of a two-dimensional dataset.
    template <class T>
    void row(std::string const& dataset, std::int64_t index, std::span<T> values) const;

    /// The bytes of rows [first, first + count), as in memory (one-dimensional datasets have rows
    /// of one value, scalars one row).
    [[nodiscard]] std::vector<std::byte> bytes(std::string const& dataset, std::int64_t first,
                                               std::int64_t count) const;

    [[nodiscard]] std::int64_t integer(std::string const& object, std::string const& name) const;
    [[nodiscard]] double real(std::string const& object, std::string const& name) const;
    [[nodiscard]] std::string text(std::string const& object, std::string const& name) const;
    [[nodiscard]] std::vector<std::int64_t> integers(std::string const& object,
                                                     std::string const& name) const;
    [[nodiscard]] std::vector<double> reals(std::string const& object,
                                            std::string const& name) const;
    [[nodiscard]] std::vector<std::string> texts(std::string const& object,
                                                 std::string const& name) const;
    /// Type, shape and content of any attribute, for comparing two.
    [[nodiscard]] std::string attribute_image(std::string const& object,
                                              std::string const& name) const;

    /// An error that names this file and the reason.
    [[nodiscard]] FileError error(std::string const& why) const;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace mees::hdf5

#pragma once

// The stored members of a record are listed once, in a function template that is given a table or
// an attribute list: `table.column("/history/fitness", &GenerationRecord::fitness)`. Writing and
// reading run the same list with a ColumnWriter and a ColumnReader (or with an AttributeWriter and
// an AttributeReader), so that a new stored member is one more line.

#include "mees/core/eigen_span.hpp"
#include "mees/core/ids.hpp"
#include "mees/storage/detail/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace mees::layout {

/// How absence is stored.
inline constexpr std::int64_t none = -1;

/// Limits of stored integers.
struct Range {
    std::int64_t lowest{0};
    std::int64_t highest{most};
};
inline constexpr Range any_integer{std::numeric_limits<std::int64_t>::min(), most};

/// A member as it is stored: an integer, a real number or a string.
template <class T>
[[nodiscard]] auto encode(T const& value)
{
    if constexpr (std::same_as<T, bool>) {
        return static_cast<std::uint8_t>(value);
    } else if constexpr (std::is_enum_v<T>) {
        return static_cast<std::underlying_type_t<T>>(value);
    } else {
        return value;
    }
}
template <class Tag>
[[nodiscard]] std::int64_t encode(StrongId<Tag> const& value)
{
    return value.value();
}
template <class T>
[[nodiscard]] std::int64_t encode(std::optional<T> const& value)
{
    return value ? encode(*value) : none;
}

template <class Stored, class T>
void decode(Stored const& stored, T& value)
{
    value = static_cast<T>(stored);
}
template <class T>
void decode(std::int64_t const& stored, std::optional<T>& value)
{
    value = stored < 0 ? std::nullopt : std::optional{T{stored}};
}

template <class Access, class Record>
using Encoded = decltype(encode(std::declval<std::invoke_result_t<Access, Record const&>>()));
template <class Access, class Record>
using Element = std::remove_cvref_t<
    decltype(*std::declval<std::invoke_result_t<Access, Record const&>>().begin())>;

/// Fills a vector, or replaces one whose values never change.
template <class Row, class Value>
void assign(Row& row, std::span<Value const> values)
{
    if constexpr (requires { row.resize(values.size()); }) {
        row.resize(values.size());
        std::ranges::copy(values, row.data());
    } else {
        row = vector_of<Eigen::Matrix<Value, Eigen::Dynamic, 1>>(values);
    }
}

/// A dataset that holds a row per record, for ColumnWriter::optional_rows.
template <class Access>
struct Rows {
    std::string path;
    Access access;
};
// For Clang 14, which does not deduce it.
template <class Access>
Rows(std::string, Access) -> Rows<Access>;

/// Writes records as datasets with an entry per record. `File` is hdf5::Writer or ByteCounter.
template <class File, class Records>
class ColumnWriter {
  public:
    ColumnWriter(File& file, Records const& records) : file_{file}, records_{records} {}

    /// One value per record.
    template <class Access>
    void column(std::string const& path, Access const& access, Range = {}) const
    {
        std::vector<Encoded<Access, Record>> values;
        for (auto const& record : records_) {
            values.push_back(encode(std::invoke(access, record)));
        }
        file_.dataset(path, values);
    }
    /// A column that files of earlier versions lack.
    template <class Access>
    void later_column(std::string const& path, Access const& access) const
    {
        column(path, access);
    }
    /// A column for other programs: ours computes it from the others.
    template <class Access>
    void computed_column(std::string const& path, Access const& access) const
    {
        column(path, access);
    }
    /// `width` values per record; an empty row is stored as zeros.
    template <class Access>
    void rows(std::string const& path, std::int64_t width, Access const& access) const
    {
        std::vector<Element<Access, Record>> values;
        values.reserve(static_cast<std::size_t>(count() * width));
        for (auto const& record : records_) {
            auto const& row = std::invoke(access, record);
            values.insert(values.end(), row.begin(), row.end());
            values.resize(values.size() + static_cast<std::size_t>(row.size() == 0 ? width : 0));
        }
        file_.dataset(path, std::span{std::as_const(values)}, {count(), width});
    }
    /// Rows that are written, and can be read, one at a time.
    template <class Access>
    void large_rows(std::string const& path, std::int64_t width, Access const& access) const
    {
        auto next = std::ranges::begin(records_);
        file_.template rows<Element<Access, Record>>(path, count(), width, [&](std::int64_t) {
            return span_of(std::invoke(access, *next++));
        });
    }
    /// Rows that a record has or has not, all of them; the column `flags` stores which.
    template <class First, class... Others>
    void optional_rows(std::string const& flags, std::int64_t width, Rows<First> const& first,
                       Rows<Others> const&... others) const
    {
        column(flags, [&](auto const& r) { return std::invoke(first.access, r).size() != 0; });
        rows(first.path, width, first.access);
        (rows(others.path, width, others.access), ...);
    }

  private:
    using Record = std::remove_cvref_t<std::ranges::range_reference_t<Records const>>;

    [[nodiscard]] std::int64_t count() const { return std::ranges::distance(records_); }

    File& file_;
    Records const& records_;
};

/// Fills records from such datasets. Throws FileError for datasets that are missing or of another
/// type or shape, for numbers that are not finite, and for integers out of range.
template <class Record>
class ColumnReader {
  public:
    ColumnReader(hdf5::Reader const& file, std::span<Record> records)
        : file_{file}, records_{records}
    {
    }

    template <class Access>
    void column(std::string const& path, Access const& access, Range range = {}) const
    {
        auto const values = read<Encoded<Access, Record>>(path, range);
        for (std::size_t i = 0; i < records_.size(); ++i) {
            decode(values[i], std::invoke(access, records_[i]));
        }
    }
    template <class Access>
    void later_column(std::string const& path, Access const& access) const
    {
        if (file_.has(path)) {
            column(path, access);
        }
    }
    template <class Access>
    void computed_column(std::string const&, Access const&) const
    {
    }
    template <class Access>
    void rows(std::string const& path, std::int64_t width, Access const& access) const
    {
        fill(path, width, access, std::vector<std::uint8_t>(records_.size(), 1));
    }
    template <class... Accesses>
    void optional_rows(std::string const& flags, std::int64_t width,
                       Rows<Accesses> const&... rows) const
    {
        auto const present = read<std::uint8_t>(flags, {0, 1});
        (fill(rows.path, width, rows.access, present), ...);
    }

  private:
    template <class Value>
    [[nodiscard]] std::vector<Value> read(std::string const& path, Range range) const
    {
        if constexpr (std::same_as<Value, std::string>) {
            auto values = file_.texts(path);
            require(file_, values.size() == records_.size(),
                    fmt::format("{} does not have {} rows", path, records_.size()));
            return values;
        } else {
            auto values = file_.values<Value>(path, {std::ssize(records_)});
            if constexpr (std::floating_point<Value>) {
                require_finite(file_, path, values);
            } else {
                require_range(file_, path, values, range.lowest, range.highest);
            }
            return values;
        }
    }
    template <class Access>
    void fill(std::string const& path, std::int64_t width, Access const& access,
              std::vector<std::uint8_t> const& present) const
    {
        auto const values =
            file_.values<Element<Access, Record>>(path, {std::ssize(records_), width});
        require_finite(file_, path, values);
        for (std::size_t i = 0; i < records_.size(); ++i) {
            if (present[i] != 0) {
                auto const first = i * static_cast<std::size_t>(width);
                assign(std::invoke(access, records_[i]),
                       std::span{values}.subspan(first, static_cast<std::size_t>(width)));
            }
        }
    }

    hdf5::Reader const& file_;
    std::span<Record> records_;
};

/// Writes members as attributes of one object.
template <class File>
class AttributeWriter {
  public:
    AttributeWriter(File& file, std::string object) : file_{file}, object_{std::move(object)} {}

    template <class T>
    void operator()(std::string const& name, T const& value, Range = {}) const
    {
        if constexpr (std::same_as<T, std::string>) {
            file_.attribute(object_, name, std::string_view{value});
        } else if constexpr (std::floating_point<T>) {
            file_.attribute(object_, name, value);
        } else {
            file_.attribute(object_, name, std::int64_t{encode(value)});
        }
    }

  private:
    File& file_;
    std::string object_;
};

/// Reads such attributes. Throws FileError like ColumnReader.
class AttributeReader {
  public:
    AttributeReader(hdf5::Reader const& file, std::string object)
        : file_{file}, object_{std::move(object)}
    {
    }

    template <class T>
    void operator()(std::string const& name, T& value, Range range = {}) const
    {
        auto const path = fmt::format("{}@{}", object_, name);
        if constexpr (std::same_as<T, std::string>) {
            value = file_.text(object_, name);
        } else if constexpr (std::floating_point<T>) {
            value = file_.real(object_, name);
            require_finite(file_, path, std::array{value});
        } else {
            auto const stored = file_.integer(object_, name);
            require_range(file_, path, std::array{stored}, range.lowest, range.highest);
            decode(stored, value);
        }
    }

  private:
    hdf5::Reader const& file_;
    std::string object_;
};

}  // namespace mees::layout

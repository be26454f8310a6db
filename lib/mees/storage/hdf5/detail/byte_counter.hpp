#pragma once

#include "mees/core/atomic_file.hpp"
#include "mees/storage/hdf5/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mees::hdf5 {

/// Takes the calls that a Writer would get, writes nothing, and counts the bytes of the datasets.
/// Throws WriteError for a number that is not finite: such a file could not be read back.
class ByteCounter {
  public:
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }

    template <class T>
    void dataset(std::string const& path, std::span<T const> values, Shape const& /*shape*/ = {})
    {
        if constexpr (std::floating_point<T>) {
            if (!std::ranges::all_of(values, [](T value) { return std::isfinite(value); })) {
                throw WriteError{fmt::format("cannot write {}", path),
                                 "a number is not finite: the search has diverged",
                                 "Try a smaller es.learning_rate or es.sigma."};
            }
        }
        bytes_ += static_cast<std::int64_t>(values.size_bytes());
    }
    template <class T>
    void dataset(std::string const& path, std::vector<T> const& values)
    {
        dataset(path, std::span<T const>{values});
    }
    void dataset(std::string const& /*path*/, std::vector<std::string> const& values)
    {
        for (auto const& value : values) {
            bytes_ += static_cast<std::int64_t>(value.size());
        }
    }
    template <class T, class RowOf>
    void rows(std::string const& path, std::int64_t rows, std::int64_t /*columns*/,
              RowOf const& row)
    {
        for (std::int64_t i = 0; i < rows; ++i) {
            dataset(path, std::span<T const>{row(i)});
        }
    }
    void group(std::string const& /*path*/) {}
    template <class... Arguments>
    void attribute(Arguments const&... /*ignored*/)
    {
    }

  private:
    std::int64_t bytes_{0};
};

}  // namespace mees::hdf5

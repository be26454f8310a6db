#pragma once

// RAII, errors and types of the HDF5 library, which hdf5/file.hpp hides.

#include "mees/storage/hdf5/file.hpp"

#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>

namespace mees::hdf5 {

/// Locks the HDF5 library (which is not thread-safe) until the returned lock is destroyed.
[[nodiscard]] std::unique_lock<std::recursive_mutex> exclusive();

/// The library's reason for the last failed call, the innermost one; clears it.
[[nodiscard]] std::string failure_reason();

/// A call of the library failed; caught inside this module, where the file's name is known.
struct LibraryFailure {
    std::string what;
};

/// `result` if the call succeeded; otherwise throws LibraryFailure with the library's reason.
template <class Result>
Result checked(Result result, char const* doing)
{
    if (result < 0) {
        auto reason = failure_reason();
        throw LibraryFailure{reason.empty() ? std::string{doing}
                                            : std::string{doing} + ": " + reason};
    }
    return result;
}

/// Owns an identifier of the library.
class Handle {
  public:
    using Closer = herr_t (*)(hid_t);

    Handle() = default;
    Handle(hid_t id, Closer closer, char const* doing) : id_{checked(id, doing)}, closer_{closer} {}
    Handle(Handle&& other) noexcept
        : id_{std::exchange(other.id_, -1)}, closer_{std::exchange(other.closer_, nullptr)}
    {
    }
    Handle& operator=(Handle&& other) noexcept
    {
        std::swap(id_, other.id_);
        std::swap(closer_, other.closer_);
        return *this;
    }
    Handle(Handle const&) = delete;
    Handle& operator=(Handle const&) = delete;
    ~Handle()
    {
        if (closer_ != nullptr) {
            auto const lock = exclusive();
            closer_(id_);
        }
    }

    [[nodiscard]] hid_t get() const { return id_; }
    /// Closes now; whether that succeeded.
    [[nodiscard]] bool close()
    {
        return closer_ == nullptr || std::exchange(closer_, nullptr)(id_) >= 0;
    }

  private:
    hid_t id_{-1};
    Closer closer_{nullptr};
};

/// All number types in our files, for explicit instantiation.
#define MEES_HDF5_TYPES(APPLY) \
    APPLY(std::int8_t)         \
    APPLY(std::uint8_t)        \
    APPLY(std::int32_t)        \
    APPLY(std::int64_t)        \
    APPLY(std::uint64_t)       \
    APPLY(float)               \
    APPLY(double)

/// The stored form of type T.
template <class T>
[[nodiscard]] hid_t file_type();
template <class T>
[[nodiscard]] Type type_of();
[[nodiscard]] Type classify(hid_t type);
[[nodiscard]] std::size_t size_of(Type type);
[[nodiscard]] hid_t memory_type(Type type);

[[nodiscard]] Shape shape_of(hid_t space);
[[nodiscard]] Handle make_space(Shape const& shape);
/// Fixed length, UTF-8, padded with zeros.
[[nodiscard]] Handle make_string_type(std::size_t length);

/// Strings of one length, one after another, padded with zeros.
struct PaddedTexts {
    std::size_t length{1};
    std::string bytes;
};
[[nodiscard]] PaddedTexts pad(std::vector<std::string> const& texts);
[[nodiscard]] std::vector<std::string> unpad(PaddedTexts const& texts);

}  // namespace mees::hdf5

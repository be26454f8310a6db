#pragma once

#include "mees/core/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace mees {

/// Everything in a message begins at a multiple of this, so that it can be read in place.
inline constexpr std::size_t byte_alignment = 8;

[[nodiscard]] constexpr std::size_t aligned(std::size_t bytes)
{
    return (bytes + byte_alignment - 1) / byte_alignment * byte_alignment;
}

/// Adds up how many bytes a ByteWriter would write.
class ByteCounter {
  public:
    template <class Value>
    void put(Value const&)
    {
        count_ += aligned(sizeof(Value));
    }
    template <class Value>
    void put_all(std::span<Value const> values)
    {
        put(values.size());
        count_ += aligned(values.size_bytes());
    }
    [[nodiscard]] std::size_t count() const { return count_; }

  private:
    std::size_t count_{0};
};

/// Writes values one after the other into memory that is large enough.
class ByteWriter {
  public:
    explicit ByteWriter(std::span<std::byte> bytes) : bytes_{bytes} {}

    template <class Value>
    void put(Value const& value)
    {
        static_assert(std::is_trivially_copyable_v<Value>);
        std::memcpy(take(sizeof value).data(), &value, sizeof value);
    }
    template <class Value>
    void put_all(std::span<Value const> values)
    {
        put(values.size());
        auto const source = std::as_bytes(values);
        std::ranges::copy(source, take(source.size()).begin());
    }

  private:
    std::span<std::byte> take(std::size_t size)
    {
        expects(aligned(size) <= bytes_.size(), "room for a message");
        auto const taken = bytes_.first(size);
        bytes_ = bytes_.subspan(aligned(size));
        return taken;
    }

    std::span<std::byte> bytes_;
};

/// Reads what a ByteWriter wrote.
class ByteReader {
  public:
    explicit ByteReader(std::span<std::byte const> bytes) : bytes_{bytes} {}

    template <class Value>
    [[nodiscard]] Value get()
    {
        static_assert(std::is_trivially_copyable_v<Value>);
        Value value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    /// Points into the message.
    template <class Value>
    [[nodiscard]] std::span<Value const> get_all()
    {
        static_assert(std::is_trivially_copyable_v<Value> && alignof(Value) <= byte_alignment);
        auto const size = get<std::size_t>();
        auto const bytes = take(size * sizeof(Value));
        return {reinterpret_cast<Value const*>(bytes.data()), size};
    }
    [[nodiscard]] bool empty() const { return bytes_.empty(); }

  private:
    std::span<std::byte const> take(std::size_t size)
    {
        expects(aligned(size) <= bytes_.size(), "a whole message");
        auto const taken = bytes_.first(size);
        bytes_ = bytes_.subspan(aligned(size));
        return taken;
    }

    std::span<std::byte const> bytes_;
};

}  // namespace mees

#pragma once

#include "mees/core/error.hpp"
#include "mees/evaluation/batch.hpp"
#include "mees/evaluation/result.hpp"

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

/// Removes the first `size` bytes, and those that only align, from `bytes`.
template <class Byte>
[[nodiscard]] std::span<Byte> take_bytes(std::span<Byte>& bytes, std::size_t size,
                                         char const* expected)
{
    expects(aligned(size) <= bytes.size(), expected);
    auto const taken = bytes.first(size);
    bytes = bytes.subspan(aligned(size));
    return taken;
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
        std::memcpy(take_bytes(bytes_, sizeof value, "room for a message").data(), &value,
                    sizeof value);
    }
    template <class Value>
    void put_all(std::span<Value const> values)
    {
        put(values.size());
        auto const source = std::as_bytes(values);
        std::ranges::copy(source, take_bytes(bytes_, source.size(), "room for a message").begin());
    }

  private:
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
        std::memcpy(&value, take_bytes(bytes_, sizeof value, "a complete message").data(),
                    sizeof value);
        return value;
    }
    /// Points into the message.
    template <class Value>
    [[nodiscard]] std::span<Value const> get_all()
    {
        static_assert(std::is_trivially_copyable_v<Value> && alignof(Value) <= byte_alignment);
        auto const size = get<std::size_t>();
        auto const bytes = take_bytes(bytes_, size * sizeof(Value), "a complete message");
        return {reinterpret_cast<Value const*>(bytes.data()), size};
    }

    [[nodiscard]] bool empty() const { return bytes_.empty(); }

  private:
    std::span<std::byte const> bytes_;
};

/// Number of bytes that `encode_batch` writes.
[[nodiscard]] std::int64_t encoded_size(Batch const& batch);

/// Writes a batch as raw arrays; a controller, an earlier link or a vector that several groups
/// share is written once.
void encode_batch(Batch const& batch, std::span<std::byte> bytes);

/// A batch read from memory that it does not own and that must outlive it. The parameters of
/// centres stay there (EpisodeSpec::centre), so that all workers of a node read the same memory;
/// vectors and earlier links are copied out of it one group at a time, so that a batch of thousands
/// of them costs a worker the memory of one group's.
class EncodedBatch {
  public:
    explicit EncodedBatch(std::span<std::byte const> bytes);

    /// As `episode_of`; valid until the next call.
    [[nodiscard]] EpisodeSpec episode(std::int64_t index);
    [[nodiscard]] std::int64_t episodes() const { return batch_.episodes(); }

  private:
    struct RawController {
        std::span<float const> parameters;
        std::span<double const> mean;
        std::span<double const> std;
        std::int64_t before;  ///< number of the link before it
    };
    /// What a group needs of the shared objects.
    struct Wanted {
        std::int64_t centre;
        std::int64_t scale;
        std::span<std::int64_t const> basis;
    };

    [[nodiscard]] ControllerPtr copy_of(std::int64_t controller) const;
    [[nodiscard]] ControllerPtr centre_of(std::int64_t controller) const;
    [[nodiscard]] ParametersPtr copy_of_vector(std::int64_t vector) const;
    void load(std::size_t position);

    Batch batch_;
    std::vector<RawController> raw_;
    std::vector<std::span<float const>> vectors_;
    std::vector<Wanted> wanted_;  ///< by group
    std::int64_t loaded_group_{-1};
};

/// Appends one episode's outcome to a message; `observations` may be null.
void append_outcome(std::vector<std::byte>& message, std::int64_t episode,
                    EpisodeOutcome const& outcome, std::span<double const> bc,
                    ObservationMoments const* observations);

/// Reads outcomes up to the end of a message into `result`, by index; returns their number.
/// Observations are appended in the order of arrival.
[[nodiscard]] std::int64_t read_outcomes(std::span<std::byte const> message, BatchResult& result);

}  // namespace mees

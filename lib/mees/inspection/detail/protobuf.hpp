#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mees {

/// A message in the wire format of Protocol Buffers, built field by field. The caller knows the
/// meaning of the field numbers.
class ProtobufMessage {
  public:
    ProtobufMessage& integer(std::uint32_t field, std::int64_t value);
    ProtobufMessage& text(std::uint32_t field, std::string_view value);
    ProtobufMessage& bytes(std::uint32_t field, std::span<std::byte const> value);
    ProtobufMessage& message(std::uint32_t field, ProtobufMessage const& value);

    [[nodiscard]] std::string const& encoded() const { return encoded_; }

  private:
    void tag(std::uint32_t field, std::uint32_t wire_type);
    void varint(std::uint64_t value);

    std::string encoded_;
};

}  // namespace mees

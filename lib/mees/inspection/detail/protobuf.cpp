#include "mees/inspection/detail/protobuf.hpp"

namespace mees {
namespace {

constexpr std::uint32_t varint_type = 0;
constexpr std::uint32_t length_type = 2;

}  // namespace

void ProtobufMessage::varint(std::uint64_t value)
{
    while (value >= 0x80) {
        encoded_ += static_cast<char>((value & 0x7f) | 0x80);
        value >>= 7;
    }
    encoded_ += static_cast<char>(value);
}

void ProtobufMessage::tag(std::uint32_t field, std::uint32_t wire_type)
{
    varint(field << 3 | wire_type);
}

ProtobufMessage& ProtobufMessage::integer(std::uint32_t field, std::int64_t value)
{
    tag(field, varint_type);
    varint(static_cast<std::uint64_t>(value));
    return *this;
}

ProtobufMessage& ProtobufMessage::text(std::uint32_t field, std::string_view value)
{
    tag(field, length_type);
    varint(value.size());
    encoded_ += value;
    return *this;
}

ProtobufMessage& ProtobufMessage::bytes(std::uint32_t field, std::span<std::byte const> value)
{
    return text(field, {reinterpret_cast<char const*>(value.data()), value.size()});
}

ProtobufMessage& ProtobufMessage::message(std::uint32_t field, ProtobufMessage const& value)
{
    return text(field, value.encoded());
}

}  // namespace mees

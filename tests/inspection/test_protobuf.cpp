#include "catch.hpp"
#include "mees/inspection/detail/protobuf.hpp"

#include <string>

using namespace mees;

TEST_CASE("the wire format of Protocol Buffers")
{
    // The examples of the format's documentation: 150 in field 1, "testing" in field 2, a message
    // with the first in field 3; and -2, which takes ten bytes.
    ProtobufMessage number;
    number.integer(1, 150);
    CHECK(number.encoded() == std::string{"\x08\x96\x01"});
    ProtobufMessage text;
    text.text(2, "testing");
    CHECK(text.encoded() == std::string{"\x12\x07testing"});
    ProtobufMessage outer;
    outer.message(3, number);
    CHECK(outer.encoded() == std::string{"\x1a\x03\x08\x96\x01"});
    ProtobufMessage negative;
    negative.integer(1, -2);
    CHECK(negative.encoded() == std::string{"\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"});
}

#include "catch.hpp"
#include "mees/core/crc32.hpp"

#include <string_view>

using namespace mees;

TEST_CASE("CRC-32 of zip and PNG")
{
    Crc32 crc;
    CHECK(crc.value() == 0);
    // The check value that catalogues of CRCs give for CRC-32/ISO-HDLC.
    crc.add(std::as_bytes(std::span{std::string_view{"12345"}}));
    crc.add(std::as_bytes(std::span{std::string_view{"6789"}}));
    CHECK(crc.value() == 0xcbf43926);
}

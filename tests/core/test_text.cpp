#include "catch.hpp"
#include "mees/core/text.hpp"

using namespace mees;

TEST_CASE("text for a terminal has no control characters")
{
    CHECK(escaped("plain, \"text\" \\ 100 %") == "plain, \"text\" \\ 100 %");
    CHECK(escaped("\x1b[2J\x07\n\t\x7f") == "\\x1b[2J\\x07\\x0a\\x09\\x7f");
    CHECK(escaped("a\nb\x1b", "\n") == "a\nb\\x1b");
    CHECK(escaped(std::string_view{"\0", 1}) == "\\x00");
    // Letters of two to four bytes stay; C1 controls, overrides of direction, overlong forms,
    // surrogates, and what is cut do not.
    CHECK(escaped("\u00e9\u20ac\U0001f600") == "\u00e9\u20ac\U0001f600");
    CHECK(escaped("\xc2\x9b") == "\\xc2\\x9b");
    CHECK(escaped("\u202e") == "\\xe2\\x80\\xae");
    CHECK(escaped("\xc0\xaf\xe0\x80\xaf") == "\\xc0\\xaf\\xe0\\x80\\xaf");
    CHECK(escaped("\xed\xa0\x80") == "\\xed\\xa0\\x80");
    CHECK(escaped("\xe2\x82") == "\\xe2\\x82");
    CHECK(escaped("\xff\xf8") == "\\xff\\xf8");
}

TEST_CASE("names are quoted as CSV and JSON need it")
{
    CHECK(csv_field("x") == "x");
    CHECK(csv_field("hind,\"foot") == "\"hind,\"\"foot\"");
    CHECK(csv_field("a\x1b") == "a\\x1b");
    CHECK(json_string("x") == "\"x\"");
    CHECK(json_string("hind,\"foot\\\n\xff") == "\"hind,\\\"foot\\\\\\u000a\\\\xff\"");
}

TEST_CASE("sizes have three digits and a unit")
{
    CHECK(human_bytes(999) == "999 B");
    CHECK(human_bytes(8'100'000) == "8.1 MB");
    CHECK(human_bytes(999'700) == "1 MB");
    CHECK(human_bytes(3'000'000'000) == "3 GB");
}
